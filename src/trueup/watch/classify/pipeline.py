"""Causes in the training's own loop: the card waits for data, or for its next kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.watch.classify.measures import access_intensity, intensity, mean, thresholds
from trueup.watch.classify.model import Finding
from trueup.watch.classify.outside import evidence, remedies

if TYPE_CHECKING:
    from trueup.values import Message
    from trueup.watch.classify.measures import Measures


def slow_disk(measured: Measures) -> Finding | None:
    limit = thresholds()
    if not measured.underused:
        return None
    busy, read = measured.mean("disk_busy", measured.waiting), measured.mean("disk_read", measured.waiting)
    if busy is None:
        cpu = measured.mean("host_cpu") or 0.0
        if read is None or read < limit["disk_read_blind"] or cpu > limit["all_cores"]:
            return None
        return Finding("slow-disk", (*_sm(measured), evidence("read", rate=read)), _disk())
    if busy < limit["disk_busy"] or (read is not None and read < limit["disk_read"]):
        return None
    told = evidence("disk", busy=busy, rate=read or 0.0)
    return Finding("slow-disk", (*_sm(measured), told), _disk())


def _disk() -> tuple[Message, ...]:
    return remedies("cache", "prefetch", "faster-disk")


def busy_cores(measured: Measures) -> Finding | None:
    """All cores prepare data and the card still waits."""
    limit = thresholds()
    share = _cores(measured)
    if not measured.underused or share is None or share < limit["all_cores"]:
        return None
    told = (*_sm(measured), evidence("all-cores", cpu=share))
    return Finding("input-all-cores", told, remedies("cache", "cheaper-input", "on-card"))


def _cores(measured: Measures) -> float | None:
    """Return the share of all cores in use while the card waits."""
    whole = measured.mean("host_cpu", measured.waiting)
    own = measured.mean("cpu", measured.waiting)
    mine = own / measured.trace.cores if own is not None and measured.trace.cores else None
    return max((one for one in (whole, mine) if one is not None), default=None)


def small_batch(measured: Measures) -> Finding | None:
    """One core at its limit starts kernels that are over at once: little power, little memory access."""
    limit = thresholds()
    cpu = measured.mean("cpu")
    if not measured.underused or cpu is None or cpu < limit["one_core"]:
        return None
    vram = mean(measured.busy, "vram")
    weak = _weak(measured)
    if not weak:
        return None
    told = [*_sm(measured), *weak, evidence("cpu", cpu=cpu)]
    roomy = vram is not None and vram <= limit["roomy"]
    first = ("larger-batch",) if roomy or vram is None else ("measure-batch",)
    return Finding("small-batch", tuple(told), remedies(*first, "graph", "mixed-precision-speed"))


def _weak(measured: Measures) -> list[Message]:
    """Return the evidence that kernels are small; power first, as memory access depends on the network."""
    limit = thresholds()
    power = intensity(measured.busy)
    if power is not None:
        return [evidence("weak-power", share=100 * power)] if power < limit["intense"] else []
    access = access_intensity(measured.busy)
    if access is None or access >= limit["intense_access"]:
        return []
    return [evidence("weak-access", share=100 * access)]


def one_core(measured: Measures) -> Finding | None:
    """One thread prepares the data while other cores rest: NumPy in the loop, no prefetch."""
    limit = thresholds()
    cpu = measured.mean("cpu")
    if not measured.underused or cpu is None or cpu < limit["one_core"]:
        return None
    if (intensity(measured.busy) is None and access_intensity(measured.busy) is None) or _weak(measured):
        return None
    share = _cores(measured)
    if share is not None and share >= limit["all_cores"]:
        return None
    told = (*_sm(measured), evidence("cpu", cpu=cpu))
    return Finding("input-one-core", told, remedies("prefetch", "parallel-calls", "on-card"))


def _sm(measured: Measures) -> tuple[Message, ...]:
    return () if measured.sm is None else (evidence("sm", sm=measured.sm),)
