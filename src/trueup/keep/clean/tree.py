"""Walks a tree without leaving it: no link, junction or other volume is followed, nothing is opened."""

from __future__ import annotations

import os
import stat
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.keep.clean.model import Size
from trueup.setup.files import long

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_ENTRIES: Final = 300_000
MOST_SECONDS: Final = 20.0
JUNCTION: Final = 0xA0000003  # IO_REPARSE_TAG_MOUNT_POINT


@dataclass
class Walk:
    """What a walk came across besides files. `mounts`: other volumes inside; `closed`: folders that it may not read."""

    root: Path
    whole: bool = True
    mounts: list[str] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    most: int = MOST_ENTRIES
    seconds: float = MOST_SECONDS

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """Yield `a/b` and its state, of files and links; a root that is a link is one entry."""
        top = long(self.root) if self.root.is_absolute() else self.root
        state = top.lstat()
        if not is_folder(state):
            yield "", state
            return
        until, count = time.monotonic() + self.seconds, 0
        folders = [("", str(top))]
        mounts = mount_points()
        while folders:
            inside, folder = folders.pop()
            for entry in self._entries(inside, folder):
                count += 1
                if count > self.most or time.monotonic() > until:
                    self.whole = False
                    return
                name = f"{inside}{entry.name}"
                try:
                    found = entry.stat(follow_symlinks=False)
                except OSError:  # it went away meanwhile
                    continue
                if not is_folder(found):
                    yield name, found
                elif _other_volume(entry, found, state, mounts):
                    self.mounts.append(name)
                else:
                    folders.append((f"{name}/", entry.path))

    def _entries(self, inside: str, folder: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                yield from entries
        except OSError:
            self.closed.append(inside or ".")


def measure(path: Path, *, most: int = MOST_ENTRIES, seconds: float = MOST_SECONDS) -> Size:
    """Return the size of a tree. Files that are linked several times inside it count once."""
    walk = Walk(path, most=most, seconds=seconds)
    total = files = shared = 0
    newest = 0.0
    linked: dict[tuple[int, int], list[int]] = {}
    for _, found in walk.files():
        files += 1
        newest = max(newest, found.st_mtime, found.st_ctime)
        key = (found.st_dev, found.st_ino)
        if found.st_nlink > 1 and found.st_ino:
            seen = linked.setdefault(key, [found.st_nlink, 0, found.st_size])
            seen[1] += 1
            if seen[1] > 1:
                continue
        total += found.st_size
    shared = sum(size for links, seen, size in linked.values() if seen < links)
    return Size(total, files, walk.whole and not walk.closed, newest, shared)


def is_folder(found: os.stat_result) -> bool:
    """Tell a folder from a file, a link and a junction."""
    return stat.S_ISDIR(found.st_mode) and not is_junction(found)


def is_junction(found: os.stat_result) -> bool:
    return bool(getattr(found, "st_reparse_tag", 0) == JUNCTION)


def mount_points() -> frozenset[str]:
    """Return the places where volumes are mounted; a bind mount has the same number as what is around it."""
    if sys.platform != "linux":
        return frozenset()
    try:
        lines = Path("/proc/self/mountinfo").read_text("utf-8", "replace").splitlines()
    except OSError:
        return frozenset()
    return frozenset(_unescaped(line.split(" ")[4]) for line in lines if line.count(" ") > 4)


def _unescaped(text: str) -> str:
    return text.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n").replace("\\134", "\\")


def mounts_inside(path: Path, points: frozenset[str] | None = None) -> tuple[str, ...]:
    """Return the places below a path, or itself, where another volume is mounted."""
    real = os.path.realpath(path)
    found = mount_points() if points is None else points
    return tuple(sorted(one for one in found if one == real or one.startswith(real.rstrip("/") + "/")))


def _other_volume(
    entry: os.DirEntry[str], found: os.stat_result, top: os.stat_result, mounts: frozenset[str]
) -> bool:
    if (
        sys.platform == "win32"
    ):  # `scandir` knows no volume; volumes are junctions there, which are not entered
        return False
    return found.st_dev != top.st_dev or entry.path in mounts
