"""A mended PATH as a change of the registry, and as the step of an administrator."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

from trueup.keep.pathvar.variables import KEYS
from trueup.setup.changes import Change
from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.keep.pathvar.mend import Mended
    from trueup.keep.pathvar.model import Scope
    from trueup.setup.changes import Store

NAME: Final = "Path"
TEXTS: Final = ("REG_SZ", "REG_EXPAND_SZ")


def value_kinds() -> Mapping[str, str]:
    """Return the registry types of the machine's and the user's PATH, on Windows, where they are texts."""
    found = {scope: _value(key) for scope, key in KEYS.items()}
    return {scope: value["type"] for scope, value in found.items() if value and value["type"] in TEXTS}


def user_change(mended: Mended, kind: str) -> Change:
    """Return the change of the user's PATH; the type stays what it was."""
    return Change("registry", {"key": KEYS["user"], "name": NAME}, {"type": kind, "data": mended.after})


def apply(store: Store, mended: Mended, kind: str, command: str) -> bool:
    """Write the user's PATH; tell whether it still was what was shown. Raises SetupError."""
    change = user_change(mended, kind)
    with store.begin(command) as transaction:
        [*seen] = store.preview([change])
        if seen and seen[0].before != {"type": kind, "data": mended.before}:
            return False
        transaction.apply(change)
    return True


def elevated(scope: Scope, mended: Mended, kind: str | None) -> tuple[str, ...]:
    """Return the lines for a PowerShell of an administrator: a copy of the old value, then the new one."""
    word = "String" if kind == "REG_SZ" else "ExpandString"
    value = _quoted(mended.after)
    place = KEYS[scope].replace("\\", ":\\", 1)
    return (
        f'reg export "{KEYS[scope]}" "$HOME\\machine-environment-before.reg" /y',
        f"Set-ItemProperty -LiteralPath {_quoted(place)} -Name {NAME} -Type {word} -Value {value}",
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


if sys.platform == "win32":
    from trueup.setup.changes.registry import RegistryKind

    def _value(key: str) -> Any:
        try:
            return RegistryKind().read({"key": key, "name": NAME})
        except OSError as error:
            raise SetupError("unwritable", quote=str(error), what=key) from error
else:

    def _value(key: str) -> Any:
        """Return nothing: other systems have no registry."""
        del key
