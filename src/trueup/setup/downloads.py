"""Bytes of the downloads, from what uv says of each package and from how much it has written meanwhile."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import psutil

from trueup.setup.events import Progress
from trueup.setup.room import UNPACKED

if TYPE_CHECKING:
    from trueup.plan.lock import Lock
    from trueup.setup.events import OnEvent

BEGINS: Final = re.compile(r"\s*Downloading (?P<name>[\w.-]+) \((?P<size>[\d.]+)(?P<unit>[KMG]?)i?B\)")
ENDS: Final = re.compile(r"\s*Downloaded (?P<name>[\w.-]+)")
UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
ALMOST: Final = 0.98  # what is still in flight never shows as finished


@dataclass
class Downloads:
    """Follows one `uv pip sync`. Small packages are not announced by uv and do not count."""

    lock: Lock
    on_event: OnEvent
    total: dict[str, int] = field(default_factory=dict)
    done: set[str] = field(default_factory=set)
    shown: int = -1
    process: psutil.Process | None = None

    def started(self, pid: int) -> None:
        try:
            self.process = psutil.Process(pid)
        except psutil.Error:
            self.process = None

    def line(self, text: str) -> None:
        begins, ends = BEGINS.match(text), ENDS.match(text)
        if begins:
            said = round(float(begins["size"]) * UNITS[begins["unit"]])
            self.total[begins["name"]] = self._size(begins["name"]) or said
        elif ends:
            self.done.add(ends["name"])

    def tick(self) -> None:
        """Tell how far it is, if that changed."""
        if not self.total:
            return
        whole = sum(self.total.values())
        finished = sum(self.total[name] for name in self.done if name in self.total)
        flying = min(max(0, self._written() - finished), round((whole - finished) * ALMOST))
        now = max(self.shown, finished + flying)
        if now != self.shown:
            self.shown = now
            self.on_event(Progress("install", now, whole))

    def _size(self, name: str) -> int | None:
        return next((p.artifact.size for p in self.lock.packages if p.name == name), None)

    def _written(self) -> int:
        """Return the packed bytes that what uv wrote so far stands for."""
        if self.process is None:
            return 0
        try:
            counters = self.process.io_counters()
        except (psutil.Error, NotImplementedError):
            return 0
        return round(getattr(counters, "write_chars", counters.write_bytes) / UNPACKED)
