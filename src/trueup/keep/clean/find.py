"""All searches, each item measured and judged: size, whose work is in it, what holds it."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from trueup.keep.clean.finders import caches, condas, distributions, ours, paths, pythons, toolkits
from trueup.keep.clean.model import Against, Item
from trueup.keep.clean.own import own_files
from trueup.keep.clean.tree import is_folder, measure
from trueup.keep.clean.using import against, programs_using
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
    needed = scene.needed_by()
    judged = [judge(scene, one, needed) for one in found.values()]
    return Listed(_handled(judged), tuple(failed))


def _searched(search: Callable[[Scene], Iterator[Found]], scene: Scene) -> tuple[list[Found], str]:
    found = []
    try:
        for one in search(scene):
            found.append(one)  # noqa: PERF402  # what was found before it failed counts
    except OSError as error:
        return found, str(error)
    return found, ""


def judge(scene: Scene, found: Found, needed: tuple[tuple[str, str], ...]) -> Item:
    """Return the item of a find, as it is at this moment."""
    place = found.path or found.measured
    size = measure(place) if place and os.path.lexists(place) else None
    own, whole = own_files(found.path, found.profile) if found.path and found.profile and size else ((), True)
    reasons = _against(scene, found, needed)
    if size is not None and found.path and not (whole and size.whole):
        reasons = (*reasons, Against(Message("clean.unread"), hard=False))
    path, steps = found.path, found.steps
    if path and not _movable(path):
        path, steps = None, _elevated(found.path)
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


def _against(scene: Scene, found: Found, needed: tuple[tuple[str, str], ...]) -> tuple[Against, ...]:
    if found.path:
        return tuple(against(found.path, scene.host.env, needed, (scene.data,)))
    if found.measured:
        using = programs_using(found.measured)
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
    if sys.platform == "win32":  # only the attempt tells
        return True
    parent = path.parent
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


def _elevated(path: Path | None) -> tuple[str, ...]:
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
