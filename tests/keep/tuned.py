"""A Windows made of data whose registry and power plans can be changed, as the journal changes real ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from world import World  # lies beside the machine's tests

from trueup.keep.tune.power import PowerKind
from trueup.machine.inventory.settings import MIN_CPU, PCIE, POWER, SCHEMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host import RegistryValue
    from trueup.setup.changes import Kind
    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State

BALANCED = "381b4222-f694-41f0-9685-ff5bb260df2e"
SAVER = "a1841308-3541-4fab-bc81-f71556f20b4a"
MAX_CPU = "54533251-82be-4824-96c1-47b60b740d00\\bc5038f7-23e0-4960-96da-33abaf5935ec"
GB = 1 << 30
DATA: dict[str, Any] = {
    "platform": "windows",
    "env": {"USERPROFILE": "C:\\Users\\me", "SYSTEMROOT": "C:\\Windows", "TEMP": "C:\\Users\\me\\AppData\\Local\\Temp"},
    "system": {"machine": "AMD64", "release": "10.0.22631"},
    "memory": {"total": 32 * GB, "available": 20 * GB, "commit_limit": 40 * GB, "commit_free": 25 * GB},
}  # fmt: skip
REGISTRY: dict[str, dict[str, tuple[str, Any]]] = {
    "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem": {"LongPathsEnabled": ("REG_DWORD", 0)},
    "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Power": {"HiberbootEnabled": ("REG_DWORD", 1)},
    "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management": {
        "PagingFiles": ("REG_MULTI_SZ", ["?:\\pagefile.sys"])
    },
    SCHEMES: {"ActivePowerScheme": ("REG_SZ", BALANCED)},
    f"{SCHEMES}\\{BALANCED}": {"FriendlyName": ("REG_EXPAND_SZ", "@powrprof.dll,-15")},
    f"{POWER}\\{MAX_CPU}\\DefaultPowerSchemeValues\\{BALANCED}": {"ACSettingIndex": ("REG_DWORD", 100), "DCSettingIndex": ("REG_DWORD", 100)},
    f"{POWER}\\{MIN_CPU}\\DefaultPowerSchemeValues\\{BALANCED}": {"ACSettingIndex": ("REG_DWORD", 5), "DCSettingIndex": ("REG_DWORD", 5)},
    f"{POWER}\\{PCIE}\\DefaultPowerSchemeValues\\{BALANCED}": {"ACSettingIndex": ("REG_DWORD", 1), "DCSettingIndex": ("REG_DWORD", 2)},
}  # fmt: skip


class Windows(World):
    """`values`: key in lower case -> name in lower case -> (name, state)."""

    def __init__(self, registry: Mapping[str, Mapping[str, tuple[str, Any]]] = REGISTRY, **data: Any) -> None:
        super().__init__({**DATA, **data})
        self.values: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {}
        for key, values in registry.items():
            self.values[key.lower()] = {
                name.lower(): (name, {"type": kind, "data": value}) for name, (kind, value) in values.items()
            }

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:
        found = self.values.get(key.lower())
        if found is None:
            return None
        return {name: _plain(state["data"]) for name, state in found.values()}

    def registry_keys(self, key: str) -> tuple[str, ...] | None:
        start = key.lower() + "\\"
        found = {name[len(start) :].split("\\")[0] for name in self.values if name.startswith(start)}
        return tuple(sorted(found)) if found or key.lower() in self.values else None

    def state(self, key: str, name: str) -> Any:
        return self.values.get(key.lower(), {}).get(name.lower(), (name, None))[1]

    def set(self, key: str, name: str, state: Any) -> None:
        values = self.values.setdefault(key.lower(), {})
        if state is None:
            values.pop(name.lower(), None)
        else:
            values[name.lower()] = (values.get(name.lower(), (name, None))[0], state)

    def kinds(self) -> dict[str, Kind]:
        return {"registry": Values(self), "registry-key": Keys(self), "power": power_kind(self)}


def _plain(data: Any) -> RegistryValue:
    return tuple(data) if isinstance(data, list) else data


class Values:
    """As `RegistryKind`."""

    def __init__(self, world: Windows) -> None:
        self.world = world

    def read(self, target: Mapping[str, str]) -> State:
        return self.world.state(target["key"], target["name"])

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        self.world.set(target["key"], target["name"], state)

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing."""


class Keys:
    """As `RegistryKeyKind`."""

    def __init__(self, world: Windows) -> None:
        self.world = world

    def read(self, target: Mapping[str, str]) -> State:
        key = target["key"].lower()
        return "there" if any(f"{own}\\".startswith(f"{key}\\") for own in self.world.values) else None

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        key = target["key"].lower()
        if state is None:
            if self.world.values.get(key):
                raise FileExistsError(key)
            self.world.values.pop(key, None)
        else:
            self.world.values.setdefault(key, {})

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing."""


def power_kind(world: Windows) -> PowerKind:
    """Return the real kind with a stand-in for `powercfg`, which writes where Windows' power service does."""

    def read(key: str, name: str) -> Any:
        state = world.state(key, name)
        return None if state is None else state["data"]

    def remove(key: str, name: str) -> None:
        world.set(key, name, None)
        if not world.values.get(key.lower()):
            world.values.pop(key.lower(), None)

    class Called(PowerKind):
        def _call(self, *words: str) -> None:
            verb, plan, *rest = words
            if verb == "/setactive":
                world.set(SCHEMES, "ActivePowerScheme", {"type": "REG_SZ", "data": plan})
                return
            group, setting, value = rest
            name = {"/setacvalueindex": "ACSettingIndex", "/setdcvalueindex": "DCSettingIndex"}[verb]
            world.set(
                f"{SCHEMES}\\{plan}\\{group}\\{setting}", name, {"type": "REG_DWORD", "data": int(value)}
            )

    return Called(read, remove, ["powercfg"])
