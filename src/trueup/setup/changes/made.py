"""Folders that another program makes in their final place: a new environment, and one that was repaired.

conda's environments cannot be moved, so that nothing is built beside and moved there. A mark inside tells whether the
folder is whole; a journal beside it tells whose a folder without a mark is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trueup.setup import exclusive, files
from trueup.setup.changes import census
from trueup.setup.changes.holders import holders
from trueup.setup.changes.model import Change, InUse
from trueup.setup.changes.moving import aside_of, move, removing
from trueup.setup.places import Places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State
    from trueup.setup.model import EnvChange

HALF: Final = {"half": "made"}
OTHERS: Final = {"others": "thing"}
LOST: Final = {"lost": "what was kept"}
AS_IT_WAS: Final = "as it was"
KEPT: Final = ".trueup-before"  # a folder of folders: conda lists what lies directly in its `envs`


class MadeKind:
    """Target: `path` and `token`, which names the build. State: the token once it is whole; None: nothing is there."""

    def read(self, target: Mapping[str, str]) -> State:
        path = Path(target["path"])
        if removing(path).exists():
            return HALF
        if not os.path.lexists(path):
            return None
        return _marked(path, target["token"])

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        if state is not None:
            raise FileExistsError(target["path"])
        _remove(target)
        close(Path(target["path"]))

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing: before there is nothing, or the folder itself, which is kept."""

    def between(self, change: Change, present: State) -> bool:
        del change
        return bool(present == HALF)

    def since(self, change: Change, present: State) -> tuple[EnvChange, ...] | None:
        return _since(change, present)

    def holders(self, target: Mapping[str, str]) -> tuple[str, ...]:
        return _users(Path(target["path"]))

    def set_aside(self, target: Mapping[str, str]) -> str:
        return _aside(target)


class RepairKind(MadeKind):
    """Target: `path`, `kept`, where the folder from before lies whole, and `token`. State: as `MadeKind`'s.

    What comes back is that folder itself, by one rename: nothing in it was touched.
    """

    def read(self, target: Mapping[str, str]) -> State:
        path, kept = Path(target["path"]), Path(target["kept"])
        if removing(path).exists():
            return HALF
        there = os.path.lexists(path)
        if not os.path.lexists(kept):
            ours = there and census.mark(path).get("made") == target["token"]
            return LOST if ours else AS_IT_WAS if there else OTHERS
        if not there or _is_bare(path):  # killed before the copy had its mark
            return HALF
        state = _marked(path, target["token"])
        return OTHERS if state == HALF and not census.mark(path) else state

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        del blobs
        if state != AS_IT_WAS:
            raise FileExistsError(target["path"])
        path = Path(target["path"])
        _check_free(path)
        stop_orphan(path)
        if os.path.lexists(target["kept"]):
            if os.path.lexists(path):
                _move(path, removing(path))
            self._bring_back(target)
        _emptied(removing(path))
        close(path)

    def set_aside(self, target: Mapping[str, str]) -> str:
        aside = _aside(target)
        self._bring_back(target)
        return aside

    def _bring_back(self, target: Mapping[str, str]) -> None:
        kept = Path(target["kept"])
        _move(kept, Path(target["path"]))
        if not any(kept.parent.iterdir()):
            kept.parent.rmdir()


def made_change(path: Path, token: str) -> Change:
    return Change("made", {"path": str(path), "token": token}, {"made": token})


def repair_change(path: Path, token: str) -> Change:
    kept = path.parent / KEPT / f"{path.name}-{token}"
    target = {"path": str(path), "kept": str(kept), "token": token}
    return Change("repair", target, {"made": token}, AS_IT_WAS)


def is_half(target: Mapping[str, str]) -> bool:
    """Tell whether a kill left this folder half-made, or put aside. Quick: nothing in a whole one is looked at."""
    path, told = Path(target["path"]), census.mark(Path(target["path"]))
    if told.get("made") == target["token"]:
        return bool(told.get("stage") != "whole")
    if "kept" in target:
        moved = not told and os.path.lexists(target["kept"])
        return moved and (not os.path.lexists(path) or _is_bare(path))
    return not told and _is_ours(path, target["token"])


def begin(path: Path, token: str) -> Places:
    """Open the journal beside a folder that another program makes from now on."""
    places = Places(path)
    places.open()
    places.journal.write("begin", token=token, request=None, env=path.name)
    return places


def close(path: Path) -> None:
    """Remove the journal beside a folder that is whole, or gone."""
    places = Places(path)
    if places.journal.path.is_file():
        places.close()
    exclusive.drop(places.lock_file)


def _marked(path: Path, token: str) -> dict[str, Any]:
    told = census.mark(path)
    if told.get("made") == token:
        if told.get("stage") != "whole":
            return HALF
        changed = bool(census.since(path, told))
        return {"made": token, "changed": True} if changed else {"made": token}
    return HALF if not told and _is_ours(path, token) else OTHERS


def _is_bare(path: Path) -> bool:
    return path.is_dir() and {entry.name for entry in path.iterdir()} <= {census.NAME + ".new"}


def _is_ours(path: Path, token: str) -> bool:
    """Tell by the journal beside it, and by conda's own history, which names the file that it was made from."""
    begun = Places(path).journal.last("begin") or {}
    if begun.get("token") != token or not path.is_dir():
        return False
    try:
        history = (path / "conda-meta" / "history").read_text("utf-8", errors="replace")
    except OSError:
        return True
    return token in history or not history.strip()


def _since(change: Change, present: State) -> tuple[EnvChange, ...] | None:
    if not isinstance(present, dict) or present.get("made") != change.after["made"]:
        return None
    path = Path(change.target["path"])
    return census.since(path, census.mark(path))


def _check_free(path: Path) -> None:
    """Refuse while another trueup is at work on the folder."""
    worker = exclusive.worker(Places(path).lock_file)
    if worker is not None:
        raise InUse(f"trueup ({worker})")


def _users(path: Path) -> tuple[str, ...]:
    worker = exclusive.worker(Places(path).lock_file)
    found = holders(path) if path.is_dir() else ()
    return found if worker is None else (f"trueup ({worker})", *found)


def _remove(target: Mapping[str, str]) -> None:
    path = Path(target["path"])
    _check_free(path)
    stop_orphan(path)
    if os.path.lexists(path):
        _move(path, removing(path))
    _emptied(removing(path))


def stop_orphan(path: Path) -> None:
    """End the program that a killed run left at work on a folder: it would write where nothing is any more."""
    import psutil  # noqa: PLC0415  # only on the way back

    started = Places(path).journal.last("program")
    if started is None or not exclusive.alive(started):
        return
    try:
        parent = psutil.Process(started["pid"])
        every = [*parent.children(recursive=True), parent]
        for process in every:
            process.kill()
        psutil.wait_procs(every, timeout=10)
    except psutil.Error:
        return


def _emptied(folder: Path) -> None:
    if not files.remove_tree(folder):
        raise InUse(str(folder))


def _aside(target: Mapping[str, str]) -> str:
    path = Path(target["path"])
    _check_free(path)
    aside = aside_of(path)
    _move(path, aside)
    return str(aside)


def _move(path: Path, goal: Path) -> None:
    move(path, goal, holders(path))
