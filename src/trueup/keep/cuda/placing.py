"""NVIDIA's wheels into an environment: unpacked beside it first, then moved in, each move journaled.

What is replaced is moved aside inside the environment, so that `trueup undo` brings it back to the byte, without
any network and whatever became of uv's cache.
"""

from __future__ import annotations

import filecmp
import os
import secrets
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from trueup.keep.cuda.bring import installed, offline
from trueup.keep.cuda.use import files_of_hook, refuse
from trueup.setup import files, hook
from trueup.setup.changes.files import FRESH, file_change, move_change
from trueup.setup.changes.holders import holders
from trueup.setup.changes.trees import tree_change
from trueup.setup.changes.whole import whole
from trueup.setup.downloads import Downloads
from trueup.setup.errors import SetupError
from trueup.setup.exclusive import exclusive
from trueup.setup.fingerprint import BRINGING, REPLACED
from trueup.setup.local import subset_text
from trueup.setup.locking import wheels_only
from trueup.setup.resuming import Resumer
from trueup.setup.uv import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.cuda.bring import Bringing
    from trueup.plan.lock import Lock
    from trueup.setup.changes import Change, Store
    from trueup.setup.events import OnEvent
    from trueup.setup.uv import Uv

LOCK: Final = "cuda-use.lock"  # beside the journal
INSTALL_TIMEOUT_S: Final = 6 * 3600  # gigabytes on a slow line; silence is ended much earlier by uv
WHEELS: Final = "wheels"


@dataclass(frozen=True, slots=True)
class Place:
    """The folders of one environment: `stage` for what comes, `aside` for what goes.

    A stage that a killed run left goes with the next one, or with `trueup undo`. Each run has its own, so that a uv
    that outlived its killed parent writes where nobody looks.
    """

    root: Path
    site: Path
    stage: Path
    aside: Path


def bring(uv: Uv, bringing: Bringing, store: Store, stamp: str, on_event: OnEvent) -> int:
    """Install and return how many changes were made. Raises SetupError; then all is as it was before."""
    root = Path(bringing.environment.path)
    place = Place(root, bringing.site, root / BRINGING / secrets.token_hex(2), root / REPLACED / stamp)
    _check_unused(root)
    _check_disk(place)
    store.folder.mkdir(parents=True, exist_ok=True)
    with exclusive(store.folder / LOCK, root):
        try:
            if bringing.items:
                _unpack(uv, bringing, place, on_event)
            return _move_in(bringing, place, store)
        finally:
            files.remove_tree(place.stage.parent)


def _check_unused(root: Path) -> None:
    """Refuse while a program runs from the environment: half of its libraries would be of another release."""
    own = {f"({os.getpid()})", f"({os.getppid()})"}  # Windows starts a venv's python by another process
    using = [one for one in holders(root) if f"({one.rpartition('(')[2]}" not in own]
    if using:
        raise SetupError("held", quote="-", what=str(root), by=", ".join(using))


def _check_disk(place: Place) -> None:
    """Refuse where packages lie on another disk, behind a link: a move in one step is not possible there."""
    if place.site.stat().st_dev != place.root.stat().st_dev:
        raise SetupError("other-disk", what=str(place.root), goal=str(place.site))


def _unpack(uv: Uv, bringing: Bringing, place: Place, on_event: OnEvent) -> None:
    """Let uv fetch, check and unpack the wheels; of a broken download what came is kept for this run."""
    files.remove_tree(place.stage.parent)
    try:
        place.stage.mkdir(parents=True)
    except OSError as error:
        raise files.failed(error, place.stage) from error
    if bringing.lock is None:
        return
    resumer = Resumer(uv, place.stage / WHEELS, bringing.lock, on_event)
    while (broken := _tried(uv, bringing, place, resumer, on_event)) is not None:
        package = None if bringing.cached else resumer.broken(broken)
        if package is None:
            raise broken
        resumer.rescue(package, broken)


def _tried(
    uv: Uv, bringing: Bringing, place: Place, resumer: Resumer, on_event: OnEvent
) -> SetupError | None:
    try:
        _sync(offline(uv) if bringing.cached else uv, bringing, place, resumer, on_event)
    except SetupError as error:
        return error
    return None


def _sync(uv: Uv, bringing: Bringing, place: Place, resumer: Resumer, on_event: OnEvent) -> None:
    downloads = Downloads(resumer.lock, on_event)
    (place.stage / "lock").mkdir(exist_ok=True)
    asked = place.stage / "lock" / "pylock.toml"
    asked.write_text(_subset(resumer.lock, bringing, resumer), "utf-8")
    python = bringing.environment.python.path or ""
    uv.run(
        [
            "pip",
            "sync",
            "--target",
            str(place.stage / "site"),
            "--python",
            python,
            *wheels_only(()),
            str(asked),
        ],
        timeout=INSTALL_TIMEOUT_S,
        watch=Watch(downloads.started, downloads.line, downloads.tick),
    )


def _subset(lock: Lock, bringing: Bringing, resumer: Resumer) -> str:
    return subset_text(lock, [one.name for one in bringing.items], resumer.here)


def _move_in(bringing: Bringing, place: Place, store: Store) -> int:
    """Make the changes, all or none."""
    changes = list(_changes(bringing, place, store))
    if not store.preview(changes):
        return 0
    with whole(store, f"cuda use {bringing.wanted.line} --wheels") as transaction:
        return sum(transaction.apply(change).needed for change in changes)


def _changes(bringing: Bringing, place: Place, store: Store) -> Iterator[Change]:
    """Yield what goes, then what comes, the folders that say what is installed last; then the hook."""
    going = list(_going(bringing, place.site))
    for inside in going:
        yield move_change(place.site / inside, place.aside / inside)
    gone = {str(inside) for inside in going}
    coming = sorted(
        _coming(place.stage / "site", place.site, gone), key=lambda p: (p.endswith(".dist-info"), p)
    )
    for name in coming:
        yield tree_change(place.stage / "site" / name, place.site / name, place.root, place.stage.parent)
    if bringing.wanted.hook:
        yield from files_of_hook(place.site, store)
    yield file_change(place.root / hook.CHOSEN, None, store.blobs)


def _going(bringing: Bringing, site: Path) -> Iterator[PurePosixPath]:
    """Yield the folders that belong to what goes and to nothing else, else the single files."""
    names = {name for name, _ in bringing.aside}
    there = installed(site)
    mine = {PurePosixPath(file.as_posix()) for name in names for file in there[name].files or ()}
    others = {
        PurePosixPath(file.as_posix())
        for name, one in there.items()
        if name not in names and name.startswith("nvidia-")
        for file in one.files or ()
    }
    mine = {one for one in mine - others if ".." not in one.parts and not str(one).endswith(".pyc")}
    tops = {PurePosixPath(one.parts[0]) for one in mine}
    for top in sorted(tops):
        yield from _owned(site, top, mine)[1]


def _owned(site: Path, inside: PurePosixPath, mine: set[PurePosixPath]) -> tuple[bool, list[PurePosixPath]]:
    """Return whether all below a path is ours to move, and the topmost parts that are."""
    path = site / inside
    if path.is_symlink() or not path.is_dir():
        return inside in mine, [inside] if inside in mine and os.path.lexists(path) else []
    whole = True
    parts: list[PurePosixPath] = []
    for name in sorted(os.listdir(path)):  # noqa: PTH208  # names only
        if name == "__pycache__" or name.endswith((".pyc", FRESH)):
            continue
        one, below = _owned(site, inside / name, mine)
        whole, parts = whole and one, [*parts, *below]
    return whole, [inside] if whole and parts else parts


def _coming(stage: Path, site: Path, gone: set[str], inside: str = "") -> Iterator[str]:
    """Yield the topmost parts of what was unpacked that have no counterpart once the old is gone."""
    if not stage.is_dir():
        return
    for name in sorted(os.listdir(stage / inside)):  # noqa: PTH208
        own = f"{inside}/{name}" if inside else name
        source, goal = stage / own, site / own
        if own == ".lock":  # uv's own
            continue
        if own in gone or not os.path.lexists(goal):
            yield own
        elif source.is_dir() and goal.is_dir() and not goal.is_symlink():
            yield from _coming(stage, site, gone, own)
        elif not (source.is_file() and goal.is_file() and filecmp.cmp(source, goal, shallow=False)):
            raise refuse("in-the-way", "own", path=str(goal), env=str(site))
