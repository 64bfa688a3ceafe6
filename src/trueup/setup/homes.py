"""The Pythons that came from bundles: which of them environments are made of, and the removal of the others."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup.errors import SetupError
from trueup.setup.files import move, remove_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.setup.changes import Record

FOLDER: Final = "pythons"  # in the data folder
GOING: Final = ".removing"
COMING: Final = ".new"
DAY_S: Final = 86400


def environments(records: Iterable[Record]) -> tuple[Path, ...]:
    """Return the environments of the journal that are still in their places."""
    return tuple(path for path in _built(records) if (path / "pyvenv.cfg").exists())


def users(records: Iterable[Record]) -> tuple[Path, ...]:
    """Return the environments of the journal that are still there, those that were put beside, too."""
    return (*environments(records), *(aside for path in _built(records) for aside in _aside(path)))


def _built(records: Iterable[Record]) -> tuple[Path, ...]:
    changes = (change for record in records for change in record.changes)
    return tuple(dict.fromkeys(Path(c.target["path"]) for c in changes if c.kind == "environment"))


def _aside(env: Path) -> list[Path]:
    return [path for path in _entries(env.parent) if path.name.startswith(f"{env.name}.trueup-undone-")]


def needed(data: Path, kept: Iterable[Path]) -> tuple[Path, ...]:
    """Return the Pythons in the data folder that these environments are made of."""
    homes = [home for env in kept for home in _homes(env)]
    folders = [path.resolve() for path in _entries(data / FOLDER) if path.is_dir()]
    used = {folder for folder in folders if any(home.is_relative_to(folder) for home in homes)}
    return tuple(path for path in _entries(data / FOLDER) if path.resolve() in used)


def remove_unused(data: Path, candidates: Iterable[Path], kept: Iterable[Path]) -> tuple[Path, ...]:
    """Remove those Pythons that no environment is made of, and return them. One that runs stays whole."""
    sweep(data / FOLDER)
    used = needed(data, kept)
    return tuple(python for python in candidates if python not in used and _removed(python))


def sweep(pythons: Path) -> None:
    """Remove what a killed run left: half-removed Pythons, and, a day later, half-unpacked ones."""
    for path in _entries(pythons):
        with suppress(OSError):
            if path.name.endswith(GOING) or (
                path.name.endswith(COMING) and path.stat().st_mtime < time.time() - DAY_S
            ):
                remove_tree(path)


def _removed(python: Path) -> bool:
    going = python.with_name(python.name + GOING)
    remove_tree(going)
    try:
        move(python, going)
    except SetupError:
        return False
    remove_tree(going)
    with suppress(OSError):
        python.parent.rmdir()
    return True


def _homes(env: Path) -> Iterator[Path]:
    with suppress(OSError):
        for line in (env / "pyvenv.cfg").read_text("utf-8", errors="replace").splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "home":
                yield Path(value.strip()).resolve()


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []
