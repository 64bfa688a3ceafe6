"""Files by their whole content, and things that are moved away."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup.changes.blobs import sha256, write_synced
from trueup.setup.changes.model import Change
from trueup.setup.files import sync_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State


# Windows knows only whether a file may be written.
NEW_FILE: Final = 0o666 if sys.platform == "win32" else 0o644


def _mode(path: Path) -> int:
    mode = stat.S_IMODE(path.stat().st_mode)
    return mode & 0o666 if sys.platform == "win32" else mode


class FileKind:
    """State: `{"sha256", "mode"}` of a regular file, None where there is none. Folders above are made, and stay."""

    def read(self, target: Mapping[str, str]) -> State:
        path = Path(target["path"])
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        return {"sha256": sha256(data), "mode": _mode(path)}

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        path = Path(target["path"]).resolve()
        if state is None:
            path.unlink(missing_ok=True)
            return
        data = blobs.get(state["sha256"])
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"{path.name}.trueup-{os.getpid()}")
        write_synced(fresh, data)
        fresh.chmod(state["mode"])
        fresh.replace(path)
        sync_folder(path.parent)

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        if state is not None:
            blobs.put(Path(target["path"]).read_bytes())


def file_change(path: Path, data: bytes | None, blobs: Blobs) -> Change:
    """Return the change that gives a file this content; None removes it. An existing file keeps its mode."""
    target = {"path": str(path)}
    if data is None:
        return Change("file", target, None)
    now = FileKind().read(target)
    mode = now["mode"] if now else NEW_FILE
    return Change("file", target, {"sha256": blobs.put(data), "mode": mode})


class MoveKind:
    """State: which of the two places is taken: `from`, `to`, `both` or `none`. A link is moved, not followed."""

    def read(self, target: Mapping[str, str]) -> State:
        here, there = (os.path.lexists(target[name]) for name in ("from", "to"))
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


def move_change(source: Path, goal: Path) -> Change:
    """Return the change that moves a file, a folder or a link; both places are on one volume."""
    return Change("move", {"from": str(source), "to": str(goal)}, "to")
