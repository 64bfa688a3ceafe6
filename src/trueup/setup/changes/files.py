"""Files by their whole content, folders, and things that are moved away."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup.changes.blobs import sha256_of
from trueup.setup.changes.model import Change
from trueup.setup.files import sync_folder
from trueup.setup.replacing import replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State


# Windows knows only whether a file may be written.
NEW_FILE: Final = 0o666 if sys.platform == "win32" else 0o644
WRITABLE: Final = 0o222
FRESH: Final = ".trueup-fresh"  # one writer at a time, so the name needs no number
NOT_EMPTY: Final = (errno.ENOTEMPTY, errno.EEXIST)


def _mode(path: Path) -> int:
    mode = stat.S_IMODE(path.stat().st_mode)
    return mode & 0o666 if sys.platform == "win32" else mode


class FileKind:
    """State: `{"sha256", "mode"}` of a regular file, None where there is none. Links are followed."""

    def read(self, target: Mapping[str, str]) -> State:
        path = Path(target["path"])
        try:
            return {"sha256": sha256_of(path), "mode": _mode(path)}
        except FileNotFoundError:
            return None

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        path = Path(target["path"]).resolve()
        if state is None:
            _free(path)
            path.unlink(missing_ok=True)
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(path.name + FRESH)
        fresh.unlink(missing_ok=True)
        blobs.copy_to(state["sha256"], fresh)
        _free(path)
        replace(fresh, path, state["mode"])
        sync_folder(path.parent)

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        if state is not None and blobs.put_file(Path(target["path"])) != state["sha256"]:
            raise OSError(f"{target['path']} changes at this moment")

    def needs(self, target: Mapping[str, str], state: State) -> Iterator[Change]:
        if state is not None:
            yield from folders_above(Path(target["path"]).resolve())

    def sweep(self, target: Mapping[str, str]) -> None:
        path = Path(target["path"]).resolve()
        path.with_name(path.name + FRESH).unlink(missing_ok=True)

    def between(self, change: Change, present: State) -> bool:
        """Windows replaces a read-only file only after it was made writable."""
        known = [state for state in (change.before, change.after) if state is not None]
        return present is not None and any(
            present == {**state, "mode": state["mode"] | WRITABLE} for state in known
        )


def _free(path: Path) -> None:
    if sys.platform == "win32" and path.exists() and not _mode(path) & WRITABLE:
        path.chmod(NEW_FILE)


def file_change(path: Path, data: bytes | None, blobs: Blobs) -> Change:
    """Return the change that gives a file this content; None removes it. An existing file keeps its mode."""
    target = {"path": str(path)}
    if data is None:
        return Change("file", target, None)
    now = FileKind().read(target)
    mode = now["mode"] if now else NEW_FILE
    return Change("file", target, {"sha256": blobs.put(data), "mode": mode})


class FolderKind:
    """State: `there`, or None. A folder is only removed while it is empty."""

    def read(self, target: Mapping[str, str]) -> State:
        path = Path(target["path"])
        if path.is_dir():
            return "there"
        if os.path.lexists(path):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
        return None

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        path = Path(target["path"])
        if state is not None:
            path.mkdir(exist_ok=True)
            return
        try:
            path.rmdir()
        except OSError as error:
            if error.errno in NOT_EMPTY:
                raise FileExistsError(error.errno, error.strerror, str(path)) from error
            raise

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing: an empty folder has no more than its name."""


def folders_above(path: Path) -> Iterator[Change]:
    """Yield what makes the folders that a path needs and that are missing, outermost first."""
    for folder in reversed(path.parents):
        if not folder.is_dir():
            yield Change("folder", {"path": str(folder)}, "there")


class MoveKind:
    """State: which of the two places is taken: `from`, `to`, `both` or `none`. A link is moved, not followed."""

    def read(self, target: Mapping[str, str]) -> State:
        here, there = (_is_there(Path(target[name])) for name in ("from", "to"))
        return {(True, False): "from", (False, True): "to", (True, True): "both"}.get((here, there), "none")

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        if (self.read(target), state) not in (("from", "to"), ("to", "from")):
            raise FileExistsError(f"{target['from']} | {target['to']}")
        source, goal = (Path(target[name]) for name in (("from", "to") if state == "to" else ("to", "from")))
        goal.parent.mkdir(parents=True, exist_ok=True)
        source.rename(goal)
        sync_folder(goal.parent)
        sync_folder(source.parent)

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing: the thing itself is kept."""

    def needs(self, target: Mapping[str, str], state: State) -> Iterator[Change]:
        return folders_above(Path(target["to" if state == "to" else "from"]))


def _is_there(path: Path) -> bool:
    """Tell whether just this name is there: a disk that ignores case also answers to another spelling."""
    if not os.path.lexists(path):
        return False
    try:
        names = {other.name for other in path.parent.iterdir()}
    except OSError:  # a folder that may be entered, but not read
        return True
    return path.name in names or path.name.lower() not in {name.lower() for name in names}


class LinkKind:
    """State: `{"link": where it leads}` of a symbolic link, None where nothing is. A file or folder is none."""

    def read(self, target: Mapping[str, str]) -> State:
        path = Path(target["path"])
        if path.is_symlink():
            return {"link": str(path.readlink())}
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        return None

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        path = Path(target["path"])
        if state is None:
            path.unlink(missing_ok=True)
        else:
            fresh = path.with_name(path.name + FRESH)
            fresh.unlink(missing_ok=True)
            fresh.symlink_to(state["link"])
            fresh.replace(path)
        sync_folder(path.parent)

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing: the state is all of it."""

    def needs(self, target: Mapping[str, str], state: State) -> Iterator[Change]:
        if state is not None:
            yield from folders_above(Path(target["path"]))

    def sweep(self, target: Mapping[str, str]) -> None:
        path = Path(target["path"])
        path.with_name(path.name + FRESH).unlink(missing_ok=True)


def move_change(source: Path, goal: Path) -> Change:
    """Return the change that moves a file, a folder or a link; both places are on one volume."""
    return Change("move", {"from": str(source), "to": str(goal)}, "to")
