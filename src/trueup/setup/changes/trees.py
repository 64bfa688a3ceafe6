"""A folder or file of packages that was put into an environment: taken out whole while it is as it was put there."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup import files
from trueup.setup.changes.blobs import sha256_of
from trueup.setup.changes.files import folders_above
from trueup.setup.changes.holders import holders
from trueup.setup.changes.model import Change, InUse
from trueup.setup.changes.moving import move, removing
from trueup.setup.changes.tally import CACHED, HASHED_BYTES
from trueup.setup.model import EnvChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State

HALF_REMOVED: Final = {"half": "removed"}


class TreeKind:
    """Target: `path`, the `stage` that is moved there, `env`, whose programs may use it, and `rest`.

    `rest` is the folder that all was unpacked in; a killed run leaves it.

    State: `{"digest", "files"}` of names and contents, without what Python writes when it imports; None where
    nothing is there. A large file is told by its size and time.
    """

    def read(self, target: Mapping[str, str]) -> State:
        path = Path(target["path"])
        if os.path.lexists(path):
            return state_of(path)
        return HALF_REMOVED if os.path.lexists(removing(path)) else None

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        path = Path(target["path"])
        if state is not None:
            move(Path(target["stage"]), path)
            return
        leaving = removing(path)
        if os.path.lexists(path):
            move(path, leaving)
        if leaving.is_dir() and not leaving.is_symlink():
            if not files.remove_tree(leaving):
                raise InUse(str(leaving))
        else:
            leaving.unlink(missing_ok=True)

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing: nothing is there before."""

    def needs(self, target: Mapping[str, str], state: State) -> Iterator[Change]:
        if state is not None:
            yield from folders_above(Path(target["path"]))

    def sweep(self, target: Mapping[str, str]) -> None:
        files.remove_tree(Path(target["rest"]))

    def between(self, change: Change, present: State) -> bool:
        del change
        return bool(present == HALF_REMOVED)

    def since(self, change: Change, present: State) -> tuple[EnvChange, ...] | None:
        return None if present is None else (EnvChange("files-edited", change.target["path"]),)

    def holders(self, target: Mapping[str, str]) -> tuple[str, ...]:
        return _holders(target["env"], int(time.monotonic()) // 30)

    def set_aside(self, target: Mapping[str, str]) -> str:
        path = Path(target["path"])
        aside = path.with_name(f"{path.name}.trueup-undone-{time.strftime('%Y%m%d-%H%M%S')}")
        move(path, aside)
        return str(aside)


@functools.lru_cache(maxsize=1)
def _holders(env: str, moment: int) -> tuple[str, ...]:
    """Look once for all folders of an environment: `moment` is a new one every half minute."""
    del moment
    return holders(Path(env))


def tree_change(stage: Path, path: Path, env: Path, rest: Path) -> Change:
    """Return the change that moves what was unpacked as `stage` to its place. Both are on one disk."""
    target = {"path": str(path), "stage": str(stage), "env": str(env), "rest": str(rest)}
    return Change("tree", target, state_of(stage))


def state_of(path: Path) -> dict[str, str | int]:
    told = sorted(_told(path))
    return {"digest": hashlib.sha256("\n".join(told).encode()).hexdigest(), "files": len(told)}


def _told(path: Path) -> Iterator[str]:
    """Yield a line for each file, and for each folder that holds none."""
    if path.is_symlink() or not path.is_dir():
        yield f" {_held(path)}"
        return
    folders = [(str(files.long(path)), "")]
    while folders:
        folder, inside = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name == "__pycache__" or entry.name.endswith(CACHED):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{inside}{entry.name}/"))
                else:
                    yield f"{inside}{entry.name} {_held(Path(entry.path))}"


def _held(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    found = path.stat()
    return f"{found.st_size} {found.st_mtime_ns}" if found.st_size > HASHED_BYTES else sha256_of(path)
