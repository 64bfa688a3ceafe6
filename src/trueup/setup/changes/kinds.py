"""The kinds of change that this system knows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trueup.setup.changes.environment import EnvironmentKind
from trueup.setup.changes.files import FileKind, FolderKind, LinkKind, MoveKind
from trueup.setup.changes.made import MadeKind, RepairKind
from trueup.setup.changes.trees import TreeKind

if TYPE_CHECKING:
    from trueup.setup.changes.model import Kind


def own_kinds() -> dict[str, Kind]:
    """Return files, folders, moves, links, packages' folders and environments, on Windows also the registry."""
    kinds: dict[str, Kind] = {
        "file": FileKind(),
        "folder": FolderKind(),
        "move": MoveKind(),
        "link": LinkKind(),
        "environment": EnvironmentKind(),
        "tree": TreeKind(),
        "made": MadeKind(),
        "repair": RepairKind(),
    }
    if sys.platform == "win32":
        from trueup.setup.changes.registry import RegistryKeyKind, RegistryKind  # noqa: PLC0415

        kinds |= {"registry": RegistryKind(), "registry-key": RegistryKeyKind()}
    return kinds
