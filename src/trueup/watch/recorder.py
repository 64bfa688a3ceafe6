"""Keeps the samples of a run of any length: where they become too many, every second one goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.watch.model import Sample

MOST = 4096  # at one a second: the whole of an hour, every eighth second of a night


class Recorder:
    def __init__(self, most: int = MOST) -> None:
        self.samples: list[Sample] = []
        self.taken = 0
        self._most, self._stride = most, 1

    def add(self, sample: Sample) -> None:
        if self.taken % self._stride == 0:
            self.samples.append(sample)
        self.taken += 1
        if len(self.samples) >= self._most:
            self.samples = self.samples[::2]
            self._stride *= 2
