"""What trueup itself made: environments with their last use and proof, and what unfinished builds left."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from trueup.keep.clean.finders.made import Found, why
from trueup.setup import record
from trueup.setup.bundle.make import STATE
from trueup.setup.errors import SetupError
from trueup.setup.exclusive import check_free
from trueup.setup.journal import NAME as JOURNAL
from trueup.setup.places import Places
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.scene import Scene


class Half(NamedTuple):
    """Work that did not end: how its folder's name ends, what in it tells that it is ours, which reason is given."""

    end: str
    mark: str
    why: str


HALF: Final = (Half(".trueup-building", JOURNAL, "building"), Half(".trueup-bundling", STATE, "bundling"))
REST: Final = (".trueup-removing", ".trueup-undone-")
DAY_S: Final = 86400


def environments(scene: Scene) -> Iterator[Found]:
    for path in scene.built:
        made = record.read(path)
        if made is None:
            continue
        proven = str((made.proof or {}).get("date", ""))[:10]
        about = (
            Message("clean.about-proven", {"date": proven}) if proven else Message("clean.about-unproven"),
            Message("clean.about-used", {"date": _day(_last_use(path))}),
        )
        reason = why("environment", date=made.made[:10])
        yield Found("environment", str(path), reason, "look", path, "python", about=about)


def _last_use(env: Path) -> float:
    """Return the newest time of what Python writes while it is used: its caches, a pyvenv.cfg at least."""
    newest = 0.0
    for place in (record.site_packages(env), env):
        with suppress(OSError), os.scandir(place) as entries:
            for entry in entries:
                with suppress(OSError):
                    newest = max(newest, entry.stat(follow_symlinks=False).st_mtime)
                    cache = Path(entry.path, "__pycache__")
                    newest = max(newest, cache.stat().st_mtime)
    return newest


def _day(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(seconds)) if seconds else "-"


def building(scene: Scene) -> Iterator[Found]:
    """Yield folders of builds that did not end. One that a run holds, or that is of today, is left out."""
    for folder in dict.fromkeys([scene.folder, *(path.parent for path in scene.built)]):
        for name in scene.names(str(folder)):
            path = folder / name
            half = next((one for one in HALF if name.endswith(one.end)), None)
            if half:
                if (path / half.mark).exists() and not _at_work(path, half) and _age(path) > DAY_S:
                    yield Found("building", str(path), why(half.why), "likely", path)
            elif any(part in name for part in REST) and path.is_dir():
                undone = REST[1] in name
                reason = why("undone" if undone else "removing")
                yield Found("building", str(path), reason, "look" if undone else "likely", path, "python")


def _age(path: Path) -> float:
    try:
        inside = [entry.stat(follow_symlinks=False).st_mtime for entry in os.scandir(path)]
    except OSError:
        return 0.0
    return time.time() - max([path.lstat().st_mtime, *inside])


def _at_work(building: Path, half: Half) -> bool:
    """Tell whether a run holds it: each holds the lock file beside it."""
    env = building.with_name(building.name.removesuffix(half.end))
    try:
        check_free(Places(env).lock_file, env)
    except SetupError:
        return True
    return False
