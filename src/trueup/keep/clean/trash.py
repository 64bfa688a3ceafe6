"""The dated trash: on the volume of what is moved there, so that moving is one rename and nothing is copied."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.keep.clean.tree import is_folder, is_junction, measure, mounts_inside
from trueup.setup.changes.files import move_change
from trueup.setup.files import long

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.keep.clean.model import Size
    from trueup.setup.changes import Change, Record

NAME: Final = ".trueup-trash"
OF_USER: Final = "trueup-trash"  # beside the data of trueup: it outlives an uninstallation
COMMAND: Final = "trueup clean"


@dataclass(frozen=True, slots=True)
class Trashed:
    """A thing in the trash: where it lies, where it came from, when it was moved."""

    path: Path
    origin: Path
    time: str
    size: Size


def place_for(path: Path, data: Path) -> Path | None:
    """Return a fresh place in the trash on the volume of a path; None where there is none that can be written."""
    stamp = datetime.now(timezone.utc).strftime("%Y-%m-%d")
    for trash in _trashes(path, data):
        if _usable(trash, path):
            return _fresh(trash / stamp, path.name)
    return None


def _trashes(path: Path, data: Path) -> Iterator[Path]:
    yield data.parent / OF_USER
    yield _top(path) / NAME
    yield path.parent / NAME


def _top(path: Path) -> Path:
    """Return the folder that the volume of a path begins with."""
    device = _device(path.parent)
    top = path.parent
    while top.parent != top and _device(top.parent) == device:
        top = top.parent
    return top


def _device(path: Path) -> int:
    try:
        return path.stat().st_dev
    except OSError:
        return -1


def _usable(trash: Path, path: Path) -> bool:
    """Tell whether it is, or can be made, on the volume of the path, outside of it, and is no link."""
    there = next((folder for folder in (trash, *trash.parents) if os.path.lexists(folder)), None)
    if there is None or _device(there) != _device(path.parent) or not os.access(there, os.W_OK):
        return False
    if there == trash and not is_folder(trash.lstat()):
        return False
    real, item = os.path.realpath(trash), os.path.realpath(path.parent) + os.sep + path.name
    return not (real + os.sep).startswith(item + os.sep)


def _fresh(folder: Path, name: str) -> Path:
    goal, number = folder / name, 1
    while os.path.lexists(goal):
        number += 1
        goal = folder / f"{number}" / name  # the name itself stays what it was
    return goal


def to_trash(path: Path, goal: Path) -> Change:
    return move_change(path, goal)


def trashed(records: tuple[Record, ...]) -> tuple[Trashed, ...]:
    """Return what lies in the trash, by the journal: nothing else is ever taken for trash."""
    found: dict[Path, Trashed] = {}
    for record in records:
        for change in record.changes:
            if record.command.startswith(COMMAND) and change.kind == "move" and change.after == "to":
                path, origin = Path(change.target["to"]), Path(change.target["from"])
                if os.path.lexists(path) and _is_trash(path):
                    found.setdefault(path, Trashed(path, origin, record.time, measure(path)))
    return tuple(found.values())


def folders(records: Iterable[Record], data: Path) -> tuple[Path, ...]:
    """Return the folders of trash that are there: the user's own, and those of other volumes that a journal names."""
    named = (
        parent
        for record in records
        for change in record.changes
        if record.command.startswith(COMMAND) and change.kind == "move"
        for parent in Path(change.target["to"]).parents
        if parent.name == NAME
    )
    return tuple(path for path in dict.fromkeys((data.parent / OF_USER, *named)) if _is_used(path))


def _is_used(trash: Path) -> bool:
    """Tell whether a trash is there and holds anything; an empty one goes."""
    for folder in (*trash.glob("*"), trash):
        with suppress(OSError):
            folder.rmdir()
    return trash.is_dir()


def _is_trash(path: Path) -> bool:
    return any(part in (NAME, OF_USER) for part in path.parent.parts)


def destroy(path: Path) -> str | None:
    """Remove a thing of the trash for good; return the system's words where that failed. Follows no link."""
    if mounts_inside(path):
        return f"mount: {path}"
    top = long(path)
    try:
        found = top.lstat()
        if is_junction(found):
            top.rmdir()
        elif not is_folder(found):
            top.unlink()
        else:
            _remove_tree(top)
    except OSError as error:
        return str(error)
    _prune(path.parent)
    return None


def _remove_tree(top: Path) -> None:
    try:
        shutil.rmtree(top)
    except OSError:
        _open_up(top)
        shutil.rmtree(top)


def _open_up(top: Path) -> None:
    """Take write protection away: Windows removes no read-only file, POSIX none from a read-only folder."""
    folders = [top]
    while folders:
        folder = folders.pop()
        folder.chmod(folder.lstat().st_mode | stat.S_IRWXU)
        for path in folder.iterdir():
            found = path.lstat()
            if is_folder(found):
                folders.append(path)
            elif sys.platform == "win32" and stat.S_ISREG(found.st_mode):
                path.chmod(stat.S_IWRITE)


def _prune(folder: Path) -> None:
    """Remove the empty folders of the trash."""
    while folder.name not in (NAME, OF_USER) and _is_trash(folder / "x"):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
