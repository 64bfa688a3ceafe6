"""One look after the other: cards, machine, and the program that is watched."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from typing import TYPE_CHECKING

from trueup.values import Unknown
from trueup.watch.gateway import Gateway
from trueup.watch.host import HostReader
from trueup.watch.model import Past, Reading, Sample
from trueup.watch.names import Names

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.watch.tree import TreeReader

KEPT = 600  # samples that the graphs can go back


class Sampler:
    """`take()` looks once and never raises for what the machine does."""

    def __init__(
        self,
        gateway: Gateway | None = None,
        clock: Callable[[], float] = time.monotonic,
        tree: TreeReader | None = None,
    ) -> None:
        self._gateway = gateway or Gateway(Names())
        self._host, self._tree, self._clock = HostReader(), tree, clock
        self._begin = clock()

    def take(self) -> Sample:
        now = self._clock()
        return Sample(
            at=now - self._begin,
            time=time.time(),
            cards=self._gateway.read(now),
            host=self._host.read(now),
            tree=self._tree.read(now) if self._tree else None,
        )

    def close(self) -> None:
        self._gateway.close()


class History:
    """The last values of what the graphs draw."""

    def __init__(self, kept: int = KEPT) -> None:
        self._cpu: deque[float | None] = deque(maxlen=kept)
        self._disk: deque[float | None] = deque(maxlen=kept)
        self._sm: dict[str, deque[float | None]] = defaultdict(lambda: deque(maxlen=kept))
        self._memory: dict[str, deque[float | None]] = defaultdict(lambda: deque(maxlen=kept))

    def add(self, sample: Sample) -> None:
        self._cpu.append(_known(sample.host.cpu))
        self._disk.append(_known(sample.host.disk_busy))
        for gpu in sample.cards.gpus:
            key = gpu.uuid or str(gpu.index)
            self._sm[key].append(_known(gpu.sm))
            self._memory[key].append(share(gpu.memory_used, gpu.memory_total))

    def past(self) -> Past:
        return Past(
            tuple(self._cpu),
            tuple(self._disk),
            {key: tuple(values) for key, values in self._sm.items()},
            {key: tuple(values) for key, values in self._memory.items()},
        )


def _known(value: Reading) -> float | None:
    return None if isinstance(value, Unknown) else value


def share(part: Reading, whole: Reading) -> float | None:
    """Return percent, or None where either is unknown."""
    if isinstance(part, Unknown) or isinstance(whole, Unknown) or not whole:
        return None
    return 100 * part / whole
