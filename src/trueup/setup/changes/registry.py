"""Values of the Windows registry with their types, to the byte, in the 64-bit view."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from trueup.setup.changes.model import Change
from trueup.setup.changes.regdata import TYPES, bytes_of, state_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State

__all__ = ["TYPES", "registry_changes"]

MORE_DATA: Final = 234  # ERROR_MORE_DATA: it grew while it was read


def registry_changes(key: str, name: str, kind: str | None, data: Any = None) -> tuple[Change, ...]:
    """Return what sets a value: the keys above it that may be missing, outermost first, then the value.

    `key` begins with HKLM or HKCU; `name` is empty for the key's default value; `kind` is a name of `TYPES`,
    None removes the value. `data` of REG_BINARY is hexadecimal text.
    """
    state = None if kind is None else {"type": kind, "data": data}
    value = Change("registry", {"key": key, "name": name}, state)
    if kind is None:
        return (value,)
    parts = key.split("\\")
    above = ("\\".join(parts[:end]) for end in range(2, len(parts) + 1))
    return (*(Change("registry-key", {"key": path}, "there") for path in above), value)


if sys.platform == "win32":
    import ctypes
    import winreg
    from ctypes import wintypes

    _VIEW = winreg.KEY_WOW64_64KEY
    _HIVES = {"HKLM": winreg.HKEY_LOCAL_MACHINE, "HKCU": winreg.HKEY_CURRENT_USER}
    _QUERY = ctypes.WinDLL("advapi32").RegQueryValueExW
    _SET = ctypes.WinDLL("advapi32").RegSetValueExW
    _QUERY.argtypes = (wintypes.HKEY, wintypes.LPCWSTR) + (ctypes.c_void_p,) * 4
    _SET.argtypes = (wintypes.HKEY, wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, ctypes.c_void_p,
                     wintypes.DWORD)  # fmt: skip

    def _split(key: str) -> tuple[int, str]:
        hive, _, path = key.partition("\\")
        return _HIVES[hive], path

    def _raw(key: winreg.HKEYType, name: str) -> tuple[int, bytes]:
        """Return type and bytes as they are: `winreg` ends a text at its first NUL."""
        size = 256
        while True:
            number, length = wintypes.DWORD(), wintypes.DWORD(size)
            buffer = ctypes.create_string_buffer(size)
            status = _QUERY(int(key), name, None, ctypes.byref(number), buffer, ctypes.byref(length))
            if status == 0:
                return number.value, buffer.raw[: length.value]
            if status != MORE_DATA:
                raise ctypes.WinError(status)
            size = max(2 * size, length.value)

    class RegistryKind:
        """State: see `regdata.state_of`; None where the value is absent."""

        def read(self, target: Mapping[str, str]) -> State:
            hive, path = _split(target["key"])
            try:
                with winreg.OpenKey(hive, path, 0, winreg.KEY_QUERY_VALUE | _VIEW) as opened:
                    return state_of(*_raw(opened, target["name"]))
            except FileNotFoundError:
                return None

        def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
            del blobs
            hive, path = _split(target["key"])
            with winreg.OpenKey(hive, path, 0, winreg.KEY_SET_VALUE | _VIEW) as opened:
                if state is None:
                    winreg.DeleteValue(opened, target["name"])
                    return
                number, data = bytes_of(state)
                status = _SET(int(opened), target["name"], 0, number, data, len(data))
                if status:
                    raise ctypes.WinError(status)

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

    def announce_environment() -> None:
        """Tell the desktop that the user's variables changed, so that new shells see them."""
        send = ctypes.WinDLL("user32").SendMessageTimeoutW
        send.argtypes = (wintypes.HWND, wintypes.UINT, wintypes.WPARAM, wintypes.LPCWSTR, wintypes.UINT,
                         wintypes.UINT, ctypes.c_void_p)  # fmt: skip
        broadcast, setting_change, abort_if_hung, milliseconds = 0xFFFF, 0x1A, 2, 500
        send(broadcast, setting_change, 0, "Environment", abort_if_hung, milliseconds, None)
