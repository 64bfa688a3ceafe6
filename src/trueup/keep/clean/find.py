"""All searches, each item measured and judged: size, whose work is in it, what holds it."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from trueup.keep.clean.finders import caches, condas, distributions, ours, paths, pythons, toolkits
from trueup.keep.clean.model import Against, Item, Size
from trueup.keep.clean.own import own_files
from trueup.keep.clean.tree import is_folder, measure
from trueup.keep.clean.using import Program, against, programs, programs_using
from trueup.setup.errors import SetupError
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from trueup.keep.clean.finders.made import Found
    from trueup.keep.clean.scene import Scene
    from trueup.setup.changes import Change

SEARCHES: Final[tuple[Callable[[Scene], Iterator[Found]], ...]] = (
    pythons.registry_keys,
    pythons.folders,
    pythons.user_sites,
    condas.condas,
    condas.conda_list,
    toolkits.toolkits,
    toolkits.variables,
    distributions.leftovers,
    distributions.broken,
    distributions.shadows,
    paths.path_entries,
    ours.environments,
    ours.building,
    caches.caches,
)
HANDLE: Final = 4
RECENT_S = 3600  # somebody may be at work: an installer, or a pip that renamed what it uninstalls


@dataclass(frozen=True, slots=True)
class Listed:
    """What was found. `failed`: searches that could not be done, with the system's words."""

    items: tuple[Item, ...]
    failed: tuple[tuple[str, str], ...] = ()


def find(scene: Scene) -> Listed:
    """Search everything. A search that fails costs its own items and is named."""
    found: dict[tuple[str, str], Found] = {}
    failed = []
    for search in SEARCHES:
        items, why = _searched(search, scene)
        for one in items:
            found.setdefault((one.kind, one.name), one)
        if why:
            failed.append((search.__name__, why))
    needed, running = scene.needed_by(), programs()
    judged = [judge(scene, one, needed, running) for one in found.values()]
    return Listed(_handled(judged), tuple(failed))


def _searched(search: Callable[[Scene], Iterator[Found]], scene: Scene) -> tuple[list[Found], str]:
    found = []
    try:
        for one in search(scene):
            found.append(one)  # noqa: PERF402  # what was found before it failed counts
    except OSError as error:
        return found, str(error)
    return found, ""


def judge(
    scene: Scene, found: Found, needed: tuple[tuple[str, str], ...], running: tuple[Program, ...]
) -> Item:
    """Return the item of a find, as it is at this moment."""
    place = found.path or found.measured
    size = measure(place) if place and os.path.lexists(place) else None
    own, whole = own_files(found.path, found.profile) if found.path and found.profile and size else ((), True)
    reasons = _against(scene, found, needed, running)
    if size is not None and found.path and not (whole and size.whole):
        reasons = (*reasons, Against(Message("clean.unread"), hard=False))
    if size is not None and found.path and time.time() - _touched(found.path, size) < RECENT_S:
        reasons = (*reasons, Against(Message("clean.recent"), hard=False))
    path, steps = found.path, found.steps
    if path and not _movable(path):
        steps, path = _elevated(path), None
    return Item(
        handle="",
        kind=found.kind,
        name=found.name,
        why=found.why,
        sure=found.sure,
        path=path,
        changes=_seen(scene, found),
        rewrite=found.rewrite,
        command=found.command,
        steps=steps,
        size=size,
        own=own,
        against=reasons,
        about=found.about,
    )


def _touched(path: Path, size: Size) -> float:
    """Return when something in it, or its name, was last changed."""
    try:
        top = path.lstat()
    except OSError:
        return time.time()
    return max(size.newest, top.st_mtime, top.st_ctime)


def _against(
    scene: Scene, found: Found, needed: tuple[tuple[str, str], ...], running: tuple[Program, ...]
) -> tuple[Against, ...]:
    if found.path:
        return tuple(against(found.path, scene.host.env, needed, (scene.data,), running))
    if found.measured:
        using = programs_using(found.measured, running)
        if using:
            return (Against(Message("clean.in-use", {"programs": ", ".join(using[:5])}), hard=True),)
    return ()


def _seen(scene: Scene, found: Found) -> tuple[Change, ...]:
    try:
        return scene.store.preview(found.changes)
    except (SetupError, KeyError):
        return found.changes


def _movable(path: Path) -> bool:
    """Tell whether this user may move it: on POSIX that takes the right to write to what it lies in."""
    parent = path.parent
    if sys.platform == "win32":
        return _movable_on_windows(path)
    if not os.access(parent, os.W_OK | os.X_OK):
        return False
    try:
        sticky, mine = (
            parent.stat().st_mode & 0o1000,
            path.lstat().st_uid in (os.geteuid(), parent.stat().st_uid),
        )
        folder = is_folder(path.lstat())
    except OSError:
        return False
    if os.geteuid() == 0:
        return True
    return (not sticky or mine) and (not folder or os.access(path, os.W_OK))


def _movable_on_windows(path: Path) -> bool:
    """Tell by the place: what belongs to all users, only an administrator moves."""
    folders = [
        os.environ.get(name) for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMROOT", "PROGRAMDATA")
    ]
    of_all = any(folder and path.is_relative_to(folder) for folder in folders)
    return not of_all or _is_admin()


if sys.platform == "win32":
    import ctypes

    def _is_admin() -> bool:
        return bool(ctypes.windll.shell32.IsUserAnAdmin())
else:

    def _is_admin() -> bool:
        return os.geteuid() == 0


def _elevated(path: Path) -> tuple[str, ...]:
    """Return the line that renames it: nothing is deleted by a line that a person pastes."""
    if sys.platform == "win32":
        place, name = (text.replace("'", "''") for text in (str(path), f"{path.name}.old"))
        return (f"Rename-Item -LiteralPath '{place}' -NewName '{name}'",)
    name = shlex.quote(str(path))
    return (f"sudo mv -n -- {name} {shlex.quote(str(path) + '.old')}",)


def _handled(items: list[Item]) -> tuple[Item, ...]:
    """Give each item a short name that is the same in the next run."""
    taken: set[str] = set()
    named = []
    for item in items:
        digest = hashlib.sha256(f"{item.kind}\0{item.name}".encode("utf-8", "surrogateescape")).hexdigest()
        length = HANDLE
        while f"{item.kind}-{digest[:length]}" in taken:
            length += 1
        handle = f"{item.kind}-{digest[:length]}"
        taken.add(handle)
        named.append(replace(item, handle=handle))
    return tuple(named)
