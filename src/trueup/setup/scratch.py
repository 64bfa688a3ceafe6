"""Folders for a moment, where the system keeps such; what a killed run left there goes with a later one."""

from __future__ import annotations

import os
import re
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil

from trueup.setup.files import remove_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS: Final = re.compile(r"trueup-(?:work|proof|bench|batch|start)-(?P<pid>\d+)-\w+")
DAY_S: Final = 86400


@contextmanager
def scratch(what: str = "work") -> Iterator[Path]:
    """Yield an empty folder that goes at the end."""
    sweep(Path(tempfile.gettempdir()))
    prefix = f"trueup-{what}-{os.getpid()}-"
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as name:
        yield Path(name)


def sweep(place: Path) -> None:
    """Remove our user's folders of runs that ended more than a day ago. What cannot be removed stays."""
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            found = OURS.fullmatch(entry.name)
            if found and _is_left(entry, int(found["pid"])):
                remove_tree(Path(entry.path))


def _is_left(entry: os.DirEntry[str], pid: int) -> bool:
    """Tell whether nobody uses it. A container may share the place and not our numbers of processes: age counts, too."""
    with suppress(OSError):
        seen = entry.stat(follow_symlinks=False)
        mine = not hasattr(os, "getuid") or seen.st_uid == os.getuid()
        old = seen.st_mtime < time.time() - DAY_S
        return mine and old and entry.is_dir(follow_symlinks=False) and not psutil.pid_exists(pid)
    return False
