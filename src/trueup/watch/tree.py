"""A program and all that it started, as psutil sees it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from trueup.values import Message, Unknown
from trueup.watch.model import NOT_ASKED, Reading, Tree

if TYPE_CHECKING:
    from collections.abc import Iterable

MIB, MB = 1 << 20, 1e6
CACHE_EVERY = 5.0  # seconds; the folder may hold thousands of files
FIRST = Unknown(Message("watch.first-sample"))


class TreeReader:
    """Follows a process by its pid. `alive()` tells whether the root still runs."""

    def __init__(self, pid: int) -> None:
        self._root = psutil.Process(pid)
        self._known: dict[int, psutil.Process] = {self._root.pid: self._root}
        self._cpu: dict[int, float] = {}
        self._read: dict[int, float] = {}
        self._at: float | None = None
        self._cache: tuple[float, Reading] = (float("-inf"), NOT_ASKED)

    def alive(self) -> bool:
        try:
            return self._root.is_running() and self._root.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False

    def read(self, now: float) -> Tree:
        family = self._family()
        passed = None if self._at is None else now - self._at
        cpu: dict[int, float] = {}
        read: dict[int, float] = {}
        memory = sum(_look(one, cpu, read) for one in family.values())
        used = {pid: _rate(cpu[pid], self._cpu.get(pid), passed) * 100 for pid in cpu}
        drawn = [_rate(read[pid], self._read.get(pid), passed) / MB for pid in read]
        nothing_yet = not passed or not self._cpu
        self._cpu, self._read, self._at = cpu, read, now
        return Tree(
            pids=frozenset(family),
            cpu=FIRST if nothing_yet else sum(used.values()),
            busiest=FIRST if nothing_yet else max(used.values(), default=0.0),
            memory=memory,
            disk_read=FIRST if nothing_yet else sum(drawn),
            cache=self._cached(now),
        )

    def _family(self) -> dict[int, psutil.Process]:
        try:
            children: Iterable[psutil.Process] = self._root.children(recursive=True)
        except psutil.Error:
            children = ()
        listed = [self._root, *children]
        self._known = {one.pid: self._known.get(one.pid, one) for one in listed}
        return self._known

    def _cached(self, now: float) -> Reading:
        asked, size = self._cache
        if now - asked >= CACHE_EVERY:
            size = folder_size(compute_cache())
            self._cache = (now, size)
        return size


def _look(process: psutil.Process, cpu: dict[int, float], read: dict[int, float]) -> float:
    """Note what the process used so far and return its memory; one that has ended leaves nothing."""
    try:
        with process.oneshot():
            times = process.cpu_times()
            memory = process.memory_info().rss / MIB
            cpu[process.pid] = times.user + times.system
            read[process.pid] = float(process.io_counters().read_bytes)
    except (psutil.Error, OSError, AttributeError):
        return 0.0
    return memory


def _rate(after: float, before: float | None, passed: float | None) -> float:
    return 0.0 if before is None or not passed else max(0.0, after - before) / passed


def compute_cache() -> Path:
    """Return where the driver keeps kernels that it compiled."""
    own = os.environ.get("CUDA_CACHE_PATH")
    if own:
        return Path(own)
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", "."), "NVIDIA", "ComputeCache")
    return Path.home() / ".nv" / "ComputeCache"


def folder_size(folder: Path) -> Reading:
    """Return MiB; nothing there is 0, since the driver makes the folder with its first kernel."""
    try:
        sizes = [one.stat().st_size for one in folder.rglob("*")]
    except OSError:
        return Unknown(Message("watch.no-permission"))
    return sum(sizes) / MIB
