"""The machine beside its cards, from psutil: what moved since the last look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psutil

from trueup.values import Message, Unknown
from trueup.watch.model import HostLoad, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

MIB, MB = 1 << 20, 1e6
SLOW_EVERY = 10.0  # seconds between two looks at what changes seldom: battery
FIRST = Unknown(Message("watch.first-sample"))
NOT_OFFERED = Unknown(Message("watch.not-offered"))
NO_DISK = ("loop", "ram", "zram", "dm-", "md", "sr", "fd")


class HostReader:
    """Keeps the counters of the last look; the first one has no rates."""

    def __init__(self) -> None:
        self._at: float | None = None
        self._disks: Mapping[str, Any] = {}
        self._swapped: float | None = None
        self._plugged: tuple[float, bool | None] = (float("-inf"), None)
        psutil.cpu_percent(percpu=True)  # begins the count

    def read(self, now: float) -> HostLoad:
        passed = None if self._at is None else now - self._at
        cores = psutil.cpu_percent(percpu=True)
        memory = psutil.virtual_memory()
        disk, read, written, busy = self._disk(passed)
        load = HostLoad(
            cpu=FIRST if passed is None or not cores else sum(cores) / len(cores),
            cpu_top=FIRST if passed is None or not cores else max(cores),
            cores=len(cores),
            memory_used=(memory.total - memory.available) / MIB,
            memory_total=memory.total / MIB,
            swap_rate=self._swap(passed),
            disk=disk,
            disk_read=read,
            disk_written=written,
            disk_busy=busy,
            plugged=self._battery(now),
        )
        self._at = now
        return load

    def _disk(self, passed: float | None) -> tuple[str | None, Reading, Reading, Reading]:
        """Return the device that moved most, with its rates and the share of the time that it was busy."""
        try:
            after: Mapping[str, Any] = psutil.disk_io_counters(perdisk=True) or {}
        except (RuntimeError, OSError):  # no counters: a container, or switched off in Windows
            after = {}
        before, self._disks = self._disks, after
        if not after:
            return None, NOT_OFFERED, NOT_OFFERED, NOT_OFFERED
        if not passed:
            return None, FIRST, FIRST, FIRST
        moved = {
            name: _moved(before[name], now, passed)
            for name, now in after.items()
            if name in before and not name.startswith(NO_DISK)
        }
        if not moved:
            return None, NOT_OFFERED, NOT_OFFERED, NOT_OFFERED
        name = max(moved, key=lambda one: _rank(moved[one]))
        return name, *moved[name]

    def _swap(self, passed: float | None) -> Reading:
        try:
            swap = psutil.swap_memory()
        except (RuntimeError, OSError):
            return NOT_OFFERED
        before, self._swapped = self._swapped, float(swap.sin + swap.sout)
        return FIRST if before is None or not passed else max(0.0, self._swapped - before) / passed / MB

    def _battery(self, now: float) -> bool | None:
        asked, plugged = self._plugged
        if now - asked >= SLOW_EVERY:
            try:
                battery = psutil.sensors_battery()
            except (AttributeError, RuntimeError, OSError):  # psutil has no such question on this system
                battery = None
            plugged = (
                None if battery is None or battery.power_plugged is None else bool(battery.power_plugged)
            )
            self._plugged = (now, plugged)
        return plugged


def _moved(before: Any, after: Any, passed: float) -> tuple[float, float, Reading]:
    read, written = (
        max(0, getattr(after, name) - getattr(before, name)) / passed / MB
        for name in ("read_bytes", "write_bytes")
    )
    return read, written, min(100.0, max(0, _worked(after) - _worked(before)) / 10 / passed)


def _worked(counters: Any) -> int:
    """Return the ms in which the disk worked; Windows counts those of each request instead."""
    busy: int | None = getattr(counters, "busy_time", None)
    return counters.read_time + counters.write_time if busy is None else busy


def _rank(moved: tuple[float, float, Reading]) -> tuple[float, float]:
    read, written, busy = moved
    return (0.0 if isinstance(busy, Unknown) else busy, read + written)
