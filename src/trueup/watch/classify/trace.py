"""From samples to points: the card that the program uses, and what matters of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.values import Unknown
from trueup.watch.classify.model import Point, Trace
from trueup.watch.reasons import HEAT, POWER
from trueup.watch.sampler import share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.watch.model import Gpu, Sample, Tree

WORKS = 5.0  # percent SM


def trace_of(samples: Sequence[Sample]) -> Trace:
    """Return the trace of the program's card; where it is never on one, that of the busiest card."""
    key = _card(samples)
    begin = samples[0].at if samples else 0.0
    cards = [_find(sample, key) for sample in samples]
    points = tuple(_point(sample, gpu, begin) for sample, gpu in zip(samples, cards, strict=True))
    cores = samples[-1].host.cores if samples else 0
    wddm = any(gpu is not None and gpu.model == "WDDM" for gpu in cards)
    return Trace(points, cores, card=any(gpu is not None and gpu.trouble is None for gpu in cards), wddm=wddm)


def _card(samples: Sequence[Sample]) -> str | None:
    used: dict[str, float] = {}
    for sample in samples:
        for gpu in sample.cards.gpus:
            weight = (known(gpu.sm) or 0.0) / 100
            weight += 1000 if _own(gpu, sample.tree) else 0
            used[_key(gpu)] = used.get(_key(gpu), 0.0) + weight
    return max(used, key=lambda key: used[key]) if used else None


def _key(gpu: Gpu) -> str:
    return gpu.uuid or str(gpu.index)


def _find(sample: Sample, key: str | None) -> Gpu | None:
    return next((gpu for gpu in sample.cards.gpus if _key(gpu) == key), None)


def _own(gpu: Gpu, tree: Tree | None) -> bool | None:
    """Tell whether the program is on the card; an empty list under a container may hide it: not known."""
    if tree is None or isinstance(gpu.processes, Unknown):
        return None
    if any(one.pid in tree.pids for one in gpu.processes):
        return True
    if gpu.model == "WDDM" or any(isinstance(one.name, Unknown) for one in gpu.processes):
        return None
    # WSL2 and some containers list nobody: a card that works for nobody has its users hidden.
    return None if not gpu.processes and (known(gpu.sm) or 0.0) >= WORKS else False


def _others(gpu: Gpu, tree: Tree | None) -> float | None:
    if tree is None or isinstance(gpu.processes, Unknown) or _own(gpu, tree) is not True:
        return None
    foreign = [known(one.sm) for one in gpu.processes if one.pid not in tree.pids]
    return None if None in foreign else sum(value for value in foreign if value is not None)


def _point(sample: Sample, gpu: Gpu | None, begin: float) -> Point:
    host, tree = sample.host, sample.tree
    values: dict[str, Any] = {
        "host_cpu": known(host.cpu),
        "ram": share(host.memory_used, host.memory_total),
        "swap": known(host.swap_rate),
        "disk_busy": known(host.disk_busy),
        "disk_read": known(host.disk_read),
        "plugged": host.plugged,
    }
    if tree is not None:
        values |= {"cpu": known(tree.cpu), "busiest": known(tree.busiest), "cache": known(tree.cache)}
    if gpu is not None and gpu.trouble is None:
        values |= _of_card(gpu, tree)
    return Point(sample.at - begin, **values)


def _of_card(gpu: Gpu, tree: Tree | None) -> dict[str, Any]:
    reasons = None if isinstance(gpu.reasons, Unknown) else set(gpu.reasons)
    return {
        "sm": known(gpu.sm),
        "access": known(gpu.memory_busy),
        "vram": share(gpu.memory_used, gpu.memory_total),
        "power": known(gpu.power),
        "limit": known(gpu.power_limit),
        "clock": share(gpu.clock_sm, gpu.clock_sm_max),
        "hot": None if reasons is None else bool(reasons & HEAT),
        "capped": None if reasons is None else bool(reasons & POWER),
        "gen": known(gpu.pcie_gen),
        "gen_max": known(gpu.pcie_gen_max),
        "width": known(gpu.pcie_width),
        "width_max": known(gpu.pcie_width_max),
        "received": known(gpu.pcie_received),
        "sent": known(gpu.pcie_sent),
        "own": _own(gpu, tree),
        "others": _others(gpu, tree),
    }


def known(value: Any) -> float | None:
    return None if isinstance(value, Unknown) else value
