"""The kinds of change that this system knows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trueup.setup.changes.files import FileKind, MoveKind

if TYPE_CHECKING:
    from trueup.setup.changes.model import Kind


def own_kinds() -> dict[str, Kind]:
    """Return files and moves, on Windows also the registry."""
    kinds: dict[str, Kind] = {"file": FileKind(), "move": MoveKind()}
    if sys.platform == "win32":
        from trueup.setup.changes.registry import RegistryKeyKind, RegistryKind  # noqa: PLC0415

        kinds |= {"registry": RegistryKind(), "registry-key": RegistryKeyKind()}
    return kinds
