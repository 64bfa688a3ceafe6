"""Values of the Windows registry with their types, in the 64-bit view."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from trueup.setup.changes.model import Change

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State

TYPES: Final = {
    "REG_SZ": 1,
    "REG_EXPAND_SZ": 2,
    "REG_BINARY": 3,
    "REG_DWORD": 4,
    "REG_MULTI_SZ": 7,
    "REG_QWORD": 11,
}
_NAMES: Final = {number: name for name, number in TYPES.items()}


def registry_changes(key: str, name: str, kind: str | None, data: Any = None) -> tuple[Change, ...]:
    """Return what sets a value: the keys above it that may be missing, outermost first, then the value.

    `key` begins with HKLM or HKCU; `kind` is a name of `TYPES`, None removes the value. `data` of
    REG_BINARY is hexadecimal text.
    """
    state = None if kind is None else {"type": kind, "data": data}
    value = Change("registry", {"key": key, "name": name}, state)
    if kind is None:
        return (value,)
    parts = key.split("\\")
    above = ("\\".join(parts[:end]) for end in range(2, len(parts) + 1))
    return (*(Change("registry-key", {"key": path}, "there") for path in above), value)


if sys.platform == "win32":
    import winreg

    _VIEW = winreg.KEY_WOW64_64KEY
    _HIVES = {"HKLM": winreg.HKEY_LOCAL_MACHINE, "HKCU": winreg.HKEY_CURRENT_USER}

    def _split(key: str) -> tuple[int, str]:
        hive, _, path = key.partition("\\")
        return _HIVES[hive], path

    class RegistryKind:
        """State: `{"type", "data"}` of a value, None where it is absent. Types that we do not know raise OSError."""

        def read(self, target: Mapping[str, str]) -> State:
            hive, path = _split(target["key"])
            try:
                with winreg.OpenKey(hive, path, 0, winreg.KEY_QUERY_VALUE | _VIEW) as opened:
                    data, number = winreg.QueryValueEx(opened, target["name"])
            except FileNotFoundError:
                return None
            if number not in _NAMES:
                raise OSError(f"{target['key']}\\{target['name']}: type {number}")
            return {
                "type": _NAMES[number],
                "data": (data or b"").hex() if number == TYPES["REG_BINARY"] else data,
            }

        def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
            del blobs
            hive, path = _split(target["key"])
            with winreg.OpenKey(hive, path, 0, winreg.KEY_SET_VALUE | _VIEW) as opened:
                if state is None:
                    winreg.DeleteValue(opened, target["name"])
                    return
                binary = state["type"] == "REG_BINARY"
                data = bytes.fromhex(state["data"]) if binary else state["data"]
                winreg.SetValueEx(opened, target["name"], 0, TYPES[state["type"]], data)

        def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
            """Need nothing: the journal line holds the value."""

    class RegistryKeyKind:
        """State: `there`, or None. A key is only removed while it is empty."""

        def read(self, target: Mapping[str, str]) -> State:
            hive, path = _split(target["key"])
            try:
                winreg.OpenKey(hive, path, 0, winreg.KEY_QUERY_VALUE | _VIEW).Close()
            except FileNotFoundError:
                return None
            return "there"

        def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
            del blobs
            hive, path = _split(target["key"])
            if state is not None:
                winreg.CreateKeyEx(hive, path, 0, winreg.KEY_CREATE_SUB_KEY | _VIEW).Close()
                return
            with winreg.OpenKey(hive, path, 0, winreg.KEY_QUERY_VALUE | _VIEW) as opened:
                keys, values, _ = winreg.QueryInfoKey(opened)
            if keys or values:
                raise FileExistsError(f"{target['key']} is not empty")
            winreg.DeleteKeyEx(hive, path, winreg.KEY_WOW64_64KEY, 0)

        def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
            """Need nothing: an empty key has no more than its name."""
