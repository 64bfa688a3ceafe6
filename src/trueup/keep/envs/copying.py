"""A working copy of an environment, on which a repair works while the folder itself lies aside, untouched."""

from __future__ import annotations

import shutil
import stat
from typing import TYPE_CHECKING

from trueup.keep.clean.tree import Walk, is_junction
from trueup.setup.changes import census
from trueup.setup.files import long

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

SECONDS = 120.0
MOST = 3_000_000


def size(env: Path) -> int | None:
    """Return the bytes that a copy takes; None where that could not be counted."""
    walk = Walk(env, most=MOST, seconds=SECONDS)
    total = sum(found.st_size for _, found in walk.files())
    return total if walk.whole and not walk.closed else None


def obstacles(env: Path) -> tuple[str, ...]:
    """Return what cannot be copied as it is: other volumes, junctions, what is neither file nor link, what is closed."""
    walk = Walk(env, most=MOST, seconds=SECONDS)
    found = [name for name, state in walk.files() if _is_strange(state)]
    return (*found, *walk.mounts, *walk.closed, *(() if walk.whole else (".",)))


def _is_strange(state: os.stat_result) -> bool:
    return is_junction(state) or not (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode))


def copy(source: Path, goal: Path, token: str) -> None:
    """Copy everything but the mark: the copy has one that says that it is not whole yet. Raises OSError."""
    goal.mkdir()
    census.begin(goal, token)
    shutil.copytree(long(source), long(goal), symlinks=True, dirs_exist_ok=True, ignore=_but_mark(source))


def _but_mark(source: Path) -> _Ignore:
    return _Ignore(str(long(source)))


class _Ignore:
    def __init__(self, top: str) -> None:
        self._top = top

    def __call__(self, folder: object, names: list[str]) -> Iterator[str]:
        return iter([census.NAME] if str(folder) == self._top and census.NAME in names else [])
