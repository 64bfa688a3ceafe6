"""Settings of the system that slow, hide or break a card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.inventory.cuda import loader_folders
from trueup.machine.inventory.model import Settings
from trueup.machine.system import kernel_of_wsl
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from trueup.machine.host import Host, RegistryValue

_CONTROL = "HKLM\\SYSTEM\\CurrentControlSet\\Control"
MEMORY = f"{_CONTROL}\\Session Manager\\Memory Management"
GRAPHICS = f"{_CONTROL}\\GraphicsDrivers"
START_UP = f"{_CONTROL}\\Session Manager\\Power"
SCHEMES = f"{_CONTROL}\\Power\\User\\PowerSchemes"
PCIE = "501a4d13-42af-4429-9fd1-a8218c268e20\\ee12f906-d277-404b-b6da-e5fa1a576df5"
MIN_CPU = "54533251-82be-4824-96c1-47b60b740d00\\893dee8e-2bef-41e0-89c6-b55d0929964c"
PLANS = {
    "381b4222-f694-41f0-9685-ff5bb260df2e": "balanced",
    "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high-performance",
    "a1841308-3541-4fab-bc81-f71556f20b4a": "power-saver",
    "e9a42b02-d5df-448d-aa00-03f14749eb61": "ultimate-performance",
}
EFFICIENCY = "961cc777-2547-4f9d-8174-7d86181b8a7a"
POWER = f"{_CONTROL}\\Power\\PowerSettings"
APP_CONTROL = f"{_CONTROL}\\CI\\Policy"
_CONTROL_STATES = {0: "off", 1: "on", 2: "evaluation"}
WSL_FOLDER = "/usr/lib/wsl/lib"
_TIMEOUT = 5.0
_CONTAINERS = {"/.dockerenv": "docker", "/run/.containerenv": "podman"}
_LINUX_LIBCUDA = (
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
)


def read_settings(host: Host) -> Settings:
    return _windows(host) if host.platform == "windows" else _linux(host)


def _windows(host: Host) -> Settings:
    memory, graphics = _Key(host, MEMORY), _Key(host, GRAPHICS)
    start, control = _Key(host, START_UP), _Key(host, APP_CONTROL)
    plan = _plan(host)
    length, dead = _path(host, ";")
    root = host.env.get("SYSTEMROOT", "C:\\Windows")
    return Settings(
        page_file=_told(memory.value("PagingFiles"), page_file),
        tdr_delay=_told(graphics.value("TdrDelay"), _number),
        scheduling=_told(graphics.value("HwSchMode"), lambda value: value == 2),
        fast_startup=_told(start.value("HiberbootEnabled"), lambda value: value == 1),
        power_plan=_told(plan, lambda value: PLANS.get(str(value), str(value)) or None),
        min_cpu=_of_plan(host, plan, MIN_CPU),
        pcie=_of_plan(host, plan, PCIE),
        app_control=_told(control.value("VerifiedAndReputablePolicyState"), _CONTROL_STATES.get),
        path_length=length,
        path_dead=dead,
        shell="cmd" if "PROMPT" in host.env else "powershell",  # cmd alone sets PROMPT
        driver_library=_there(host, path_of(host).join(root, "System32", "nvcuda.dll")),
    )


class _Key:
    """A registry key that may be closed to this user."""

    def __init__(self, host: Host, key: str) -> None:
        self._found: Mapping[str, RegistryValue] | Unknown
        try:
            self._found = host.registry_values(key) or {}
        except HostError as error:
            self._found = Unknown(error.why)

    def value(self, name: str) -> RegistryValue | Unknown | None:
        return self._found if isinstance(self._found, Unknown) else self._found.get(name)


def _told(value: RegistryValue | Unknown | None, read: Callable[[Any], Any]) -> Any:
    """Return what a value means; what is unknown or not set stays so."""
    return value if value is None or isinstance(value, Unknown) else read(value)


def _plan(host: Host) -> str | Unknown | None:
    """Return the power plan's id; Windows 11 lays "best power efficiency" over a balanced plan."""
    schemes = _Key(host, SCHEMES)
    if str(schemes.value("ActiveOverlayAcPowerScheme")).lower() == EFFICIENCY:
        return "power-saver"
    return _told(schemes.value("ActivePowerScheme"), lambda value: str(value).lower())  # type: ignore[no-any-return]


def _of_plan(host: Host, plan: str | Unknown | None, setting: str) -> int | Unknown | None:
    """Return a setting of the plan on mains power: the user's own, else the plan's default."""
    if plan is None or isinstance(plan, Unknown):
        return plan
    own = _Key(host, f"{SCHEMES}\\{plan}\\{setting}").value("ACSettingIndex")
    if own is None:
        own = _Key(host, f"{POWER}\\{setting}\\DefaultPowerSchemeValues\\{plan}").value("ACSettingIndex")
    return _told(own, _number)  # type: ignore[no-any-return]


def _there(host: Host, path: str) -> bool | Unknown:
    try:
        return host.size(path) is not None
    except HostError as error:
        return Unknown(error.why)


def page_file(value: RegistryValue) -> str:
    """Read PagingFiles: the drive "?:" lets Windows choose, an empty list is no page file at all."""
    rows = [row for row in (value if isinstance(value, tuple) else (str(value),)) if row.strip()]
    if not rows:
        return "none"
    return (
        "automatic"
        if all(row.startswith("?:") or row.rstrip().endswith(" 0 0") for row in rows)
        else "; ".join(rows)
    )


def _linux(host: Host) -> Settings:
    inside = kernel_of_wsl(host) is not None
    length, dead = _path(host, ":")
    return Settings(
        path_length=length,
        path_dead=dead,
        shell=path_of(host).basename(host.env.get("SHELL", "")) or None,
        container=next(
            (name for path, name in _CONTAINERS.items() if quiet_size(host, path) is not None), None
        ),
        nouveau=bool(quiet_list(host, "/sys/module/nouveau")),
        uvm_device=quiet_size(host, "/dev/nvidia-uvm") is not None,
        dxg_device=quiet_size(host, "/dev/dxg") is not None if inside else None,
        wsl_libcuda=quiet_size(host, f"{WSL_FOLDER}/libcuda.so.1") is not None if inside else None,
        foreign_libcuda=_foreign(host) if inside else (),
        driver_library=_libcuda(host) if host.platform == "linux" else None,
        stub=_stub(host),
    )


def _libcuda(host: Host) -> bool | Unknown:
    """Look where the loader looks: LD_LIBRARY_PATH, the folders of ld.so.conf, and last its cache."""
    listed = host.env.get("LD_LIBRARY_PATH", "").split(":")
    places = [*(one for one in listed if one and not _is_stub(one)), *loader_folders(host), WSL_FOLDER]
    if any(quiet_size(host, f"{place}/libcuda.so.1") is not None for place in places):
        return True
    for program in ("/sbin/ldconfig", "/usr/sbin/ldconfig"):
        try:
            result = host.run([program, "-p"], _TIMEOUT)
        except HostError as error:
            return Unknown(error.why)
        if result is not None and result.code == 0:
            return "libcuda.so.1 " in result.out
    return Unknown(Message("machine.file-missing", {"path": "ldconfig"}))


def _is_stub(folder: str) -> bool:
    return folder.rstrip("/").endswith("/stubs")


def _stub(host: Host) -> str | None:
    """Return the first folder that holds libcuda, where it is the toolkit's folder of stubs."""
    for folder in host.env.get("LD_LIBRARY_PATH", "").split(":"):
        if folder and quiet_size(host, f"{folder.rstrip('/')}/libcuda.so.1") is not None:
            return folder if _is_stub(folder) else None
    return None


def _foreign(host: Host) -> tuple[str, ...]:
    """Return libcuda files of a Linux driver; a link into WSL's own folder is none."""
    found = []
    for path in _LINUX_LIBCUDA:
        if quiet_size(host, path) is None:
            continue
        try:
            real = host.real_path(path)
        except HostError:
            real = path
        if "/wsl/" not in real:
            found.append(real)
    return tuple(found)


def _path(host: Host, separator: str) -> tuple[int, tuple[str, ...]]:
    text = host.env.get("PATH", "")
    parts = [part.strip('"') for part in text.split(separator) if part]
    return len(text), tuple(part for part in dict.fromkeys(parts) if not _is_folder(host, part))


def _is_folder(host: Host, path: str) -> bool:
    try:
        return host.match(path_of(host).normpath(path), "\0") is not None
    except HostError:
        return True


def _number(value: RegistryValue) -> int | None:
    return value if isinstance(value, int) else None
