"""What samples of a card say of the conditions of a bench."""

from __future__ import annotations

from typing import Any

import pytest

from trueup.cli.bench_samples import Watcher, conditions, memory_of
from trueup.values import Message
from trueup.watch.model import Cards, Gpu, HostLoad, Sample


def sample(*gpus: Gpu, cpu: float = 5.0) -> Sample:
    host = HostLoad(cpu, cpu, 8, 1000.0, 8000.0, 0.0, None, 0.0, 0.0, 0.0, plugged=None)
    return Sample(0.0, 0.0, Cards(gpus), host)


def card(sm: float, **more: Any) -> Gpu:
    values: dict[str, Any] = {
        "uuid": "GPU-1",
        "memory_total": 8192.0,
        "clock_sm": 1000.0,
        "clock_sm_max": 2000.0,
        "clock_memory": 7000.0,
        "clock_memory_max": 7000.0,
        "pcie_gen": 3.0,
        "pcie_gen_max": 4.0,
        "pcie_width": 4.0,
        "pcie_width_max": 16.0,
        "reasons": ("heat",),
        "power_limit": 170.0,
    }
    return Gpu(0, "Card", sm=sm, **{**values, **more})


def test_only_the_loaded_samples_count() -> None:
    rest = card(0.0, clock_sm=200.0, pcie_gen=1.0, reasons=("idle",))
    seen = conditions(sample(card(0.0)), [sample(rest), sample(card(99.0)), sample(card(98.0, reasons=()))])
    assert (seen.clock, seen.hot, seen.samples) == (0.5, 0.5, 2)
    assert (seen.gen, seen.width, seen.gen_max, seen.width_max) == (3, 4, 4, 16)
    assert seen.others == 0.0


def test_a_card_that_was_busy_before_is_told() -> None:
    seen = conditions(sample(card(60.0), cpu=80.0), [sample(card(99.0))])
    assert seen.others == pytest.approx(0.6)
    assert seen.host_busy == pytest.approx(0.8)


def test_the_card_that_works_is_meant() -> None:
    other = card(3.0, uuid="GPU-2", clock_sm=2000.0, memory_total=24576.0)
    samples = [sample(card(99.0), other)] * 3
    assert conditions(samples[0], samples).clock == 0.5
    assert memory_of(samples[0], samples) == 8192.0


def test_without_a_card_nothing_is_claimed() -> None:
    seen = conditions(sample(), [sample(), sample()])
    assert (seen.samples, seen.clock, seen.hot, seen.others) == (0, None, None, None)
    assert memory_of(sample(), []) is None


def test_what_the_driver_does_not_tell_stays_unknown() -> None:
    bare = Gpu(0, "Card", sm=99.0)
    seen = conditions(sample(bare), [sample(bare)])
    assert (seen.clock, seen.hot, seen.gen, seen.samples) == (None, None, None, 1)


class Scripted:
    """Stands in for a sampler."""

    def __init__(self, one: Sample) -> None:
        self._one, self.closed = one, False

    def take(self) -> Sample:
        return self._one

    def close(self) -> None:
        self.closed = True


def test_a_watcher_ends_and_says_whether_there_is_a_card() -> None:
    lost = Gpu(0, "Card", trouble=Message("watch.trouble-lost"))
    for gpus, there in (((card(0.0),), True), ((lost,), False), ((), False)):
        sampler = Scripted(sample(*gpus))
        watcher = Watcher(sampler)  # type: ignore[arg-type]
        assert watcher.card is there
        watcher.start()
        watcher.stop()
        assert sampler.closed
