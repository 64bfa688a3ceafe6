"""Keys of the registry as changes that can be undone, and as lines for an administrator."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trueup.setup.changes import Change

if TYPE_CHECKING:
    from collections.abc import Iterator


def elevated_removal(key: str) -> tuple[str, ...]:
    """Return the lines that keep a copy of a key of the machine and remove it."""
    copy = "removed-" + "".join(letter if letter.isalnum() else "-" for letter in key.rpartition("\\")[2])
    return (f'reg export "{key}" "%USERPROFILE%\\{copy}.reg" /y', f'reg delete "{key}" /f')


def removal(key: str) -> tuple[Change, ...]:
    """Return what removes a key with all that is in it: values and keys one by one, the last first.

    Undo goes the other way, so that all stands in the order it had.
    """
    return tuple(_removal(key))


if sys.platform == "win32":
    import winreg

    _HIVES = {"HKLM": winreg.HKEY_LOCAL_MACHINE, "HKCU": winreg.HKEY_CURRENT_USER}

    def _removal(key: str) -> Iterator[Change]:
        hive, _, path = key.partition("\\")
        with winreg.OpenKey(_HIVES[hive], path, 0, winreg.KEY_READ | winreg.KEY_WOW64_64KEY) as opened:
            keys, values, _ = winreg.QueryInfoKey(opened)
            names = [winreg.EnumKey(opened, number) for number in range(keys)]
            of_values = [winreg.EnumValue(opened, number)[0] for number in range(values)]
        for name in reversed(names):
            yield from _removal(f"{key}\\{name}")
        for name in reversed(of_values):
            yield Change("registry", {"key": key, "name": name}, None)
        yield Change("registry-key", {"key": key}, None)
else:

    def _removal(key: str) -> Iterator[Change]:
        """Yield nothing: other systems have no registry."""
        yield from ()
        del key
