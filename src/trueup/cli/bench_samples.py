"""Samples of the card while a child works, and what they say of the conditions."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from trueup.proof.bench import Conditions
from trueup.watch.classify.trace import known
from trueup.watch.reasons import HEAT, POWER
from trueup.watch.sampler import Sampler, share

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trueup.watch.model import Gpu, Reading, Sample

INTERVAL = 0.25  # seconds
BEFORE = 0.3  # seconds between the two looks at a machine that should rest
LOADED = 50.0  # percent SM: below, clocks and link rest
PATIENCE = 5.0  # seconds that a last look may take: a driver may hang


class Watcher:
    """Looks before and beside the work, from a thread of its own. `Watcher.stop()` ends it."""

    def __init__(self, sampler: Sampler | None = None) -> None:
        self._sampler = sampler or Sampler()
        self._over = threading.Event()
        self._sampler.take()
        self._over.wait(BEFORE)
        self.before = self._sampler.take()
        self.samples: list[Sample] = []
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def card(self) -> bool:
        """Tell whether the driver lists a card that can be read."""
        return any(gpu.trouble is None for gpu in self.before.cards.gpus)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join(PATIENCE)

    def _run(self) -> None:
        while not self._over.wait(INTERVAL):
            self.samples.append(self._sampler.take())
        self._sampler.close()


def conditions(before: Sample, samples: Sequence[Sample]) -> Conditions:
    """Return what was seen of the card that worked most."""
    busy = _share(before.host.cpu)
    key = _busiest(samples)
    cards = [gpu for sample in samples for gpu in sample.cards.gpus if _key(gpu) == key]
    loaded = [gpu for gpu in cards if (known(gpu.sm) or 0.0) >= LOADED]
    plugged = samples[-1].host.plugged if samples else before.host.plugged
    if not loaded:
        return Conditions(plugged=plugged, host_busy=busy, others=_others(before, key))
    reasons = [set(gpu.reasons) for gpu in loaded if isinstance(gpu.reasons, tuple)]
    return Conditions(
        clock=_mean(loaded, lambda gpu: _part(gpu.clock_sm, gpu.clock_sm_max)),
        memory_clock=_mean(loaded, lambda gpu: _part(gpu.clock_memory, gpu.clock_memory_max)),
        hot=_told(reasons, HEAT),
        capped=_told(reasons, POWER),
        power_w=_mean(loaded, lambda gpu: known(gpu.power)),
        power_limit_w=_mean(loaded, lambda gpu: known(gpu.power_limit)),
        gen=_most(loaded, "pcie_gen"),
        width=_most(loaded, "pcie_width"),
        gen_max=_most(loaded, "pcie_gen_max"),
        width_max=_most(loaded, "pcie_width_max"),
        plugged=plugged,
        others=_others(before, key),
        host_busy=busy,
        samples=len(loaded),
    )


def memory_of(before: Sample, samples: Sequence[Sample]) -> float | None:
    """Return the memory of the card that worked most, in MiB."""
    key = _busiest([before, *samples])
    seen = [
        known(gpu.memory_total) for one in [before, *samples] for gpu in one.cards.gpus if _key(gpu) == key
    ]
    return next((value for value in seen if value is not None), None)


def _key(gpu: Gpu) -> str:
    return gpu.uuid or str(gpu.index)


def _busiest(samples: Sequence[Sample]) -> str | None:
    used: dict[str, float] = {}
    for sample in samples:
        for gpu in sample.cards.gpus:
            used[_key(gpu)] = used.get(_key(gpu), 0.0) + (known(gpu.sm) or 0.0)
    return max(used, key=lambda key: used[key]) if used else None


def _others(before: Sample, key: str | None) -> float | None:
    """Return how busy the card was before the work began: that is of other programs."""
    seen = [known(gpu.sm) for gpu in before.cards.gpus if key is None or _key(gpu) == key]
    return _share(seen[0]) if seen and seen[0] is not None else None


def _part(value: Reading, most: Reading) -> float | None:
    percent = share(value, most)
    return None if percent is None else percent / 100


def _share(percent: Any) -> float | None:
    value = known(percent)
    return None if value is None else value / 100


def _mean(cards: Sequence[Gpu], read: Callable[[Gpu], float | None]) -> float | None:
    values = [value for gpu in cards if (value := read(gpu)) is not None]
    return sum(values) / len(values) if values else None


def _most(cards: Sequence[Gpu], name: str) -> float | None:
    values = [value for gpu in cards if (value := known(getattr(gpu, name))) is not None]
    return max(values, default=None)


def _told(reasons: Sequence[set[str]], wanted: frozenset[str]) -> float | None:
    return sum(bool(one & wanted) for one in reasons) / len(reasons) if reasons else None
