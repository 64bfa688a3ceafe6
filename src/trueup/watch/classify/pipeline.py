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
    share = _full(measured)
    if share is None or _foreign(measured, share):
        return None
    told = (*_sm(measured), evidence("all-cores", cpu=share))
    return Finding("input-all-cores", told, remedies("cache", "cheaper-input", "on-card"))


def crowded_cores(measured: Measures) -> Finding | None:
    """Other programs keep the cores busy; what prepares the data gets too little of them."""
    share = _full(measured)
    own = measured.mean("cpu", measured.waiting)
    if share is None or own is None or not _foreign(measured, share):
        return None
    told = (*_sm(measured), evidence("all-cores", cpu=share), evidence("cpu", cpu=own))
    return Finding("crowded-cpu", told, remedies("end-programs", "cache"))


def _full(measured: Measures) -> float | None:
    share = _cores(measured)
    full = share is not None and share >= thresholds()["all_cores"]
    return share if measured.underused and full else None


def _foreign(measured: Measures, share: float) -> bool:
    own = measured.mean("cpu", measured.waiting)
    if own is None or not measured.trace.cores:
        return False
    return own / measured.trace.cores < thresholds()["own_share"] * share


def _cores(measured: Measures) -> float | None:
    """Return the share of all cores in use while the card waits."""
    whole = measured.mean("host_cpu", measured.waiting)
    own = measured.mean("cpu", measured.waiting)
    mine = own / measured.trace.cores if own is not None and measured.trace.cores else None
    return max((one for one in (whole, mine) if one is not None), default=None)


def small_batch(measured: Measures) -> Finding | None:
    """One core at its limit starts kernels that are over at once: little power, little memory access."""
    cpu = _main_thread(measured)
    hard = _hard(measured)
    if cpu is None or hard is None or hard[1] >= 1:
        return None
    vram = mean(measured.busy, "vram")
    roomy = vram is None or vram <= thresholds()["roomy"]
    told = (*_sm(measured), *_weak(measured), evidence("cpu", cpu=cpu))
    batch = "larger-batch" if roomy else "measure-batch"
    return Finding("small-batch", told, remedies(batch, "graph", "mixed-precision-speed"))


def one_core(measured: Measures) -> Finding | None:
    """One thread prepares the data while other cores rest: NumPy in the loop, no prefetch."""
    cpu = _main_thread(measured)
    hard = _hard(measured)
    if cpu is None or hard is None or hard[0] < 1:
        return None
    told = (*_sm(measured), evidence("cpu", cpu=cpu))
    return Finding("input-one-core", told, remedies("prefetch", "parallel-calls", "on-card"))


def host_bound(measured: Measures) -> Finding | None:
    """Tell that the card waits for the program's own thread, where nothing measured says for what."""
    cpu = _main_thread(measured)
    hard = _hard(measured)
    if cpu is None or hard is not None:
        return None
    told = (*_sm(measured), evidence("cpu", cpu=cpu))
    return Finding("host-bound", told, remedies("larger-batch", "prefetch", "parallel-calls", "graph"))


def _main_thread(measured: Measures) -> float | None:
    """Return the program's CPU where one thread is at its limit, other cores rest, and the card waits."""
    limit = thresholds()
    cpu, share = measured.mean("cpu"), _cores(measured)
    if not measured.underused or cpu is None or cpu < limit["one_core"]:
        return None
    return None if share is not None and share >= limit["all_cores"] else cpu


def _hard(measured: Measures) -> tuple[float, float] | None:
    """Return how hard the card works, at least and at most, of what counts as hard: 1.

    Power decides; memory access, which depends on the network as well, only where power leaves it open.
    """
    limit = thresholds()
    power = intensity(measured)
    if power is not None and not power[0] < limit["intense"] <= power[1]:
        return power[0] / limit["intense"], power[1] / limit["intense"]
    access = access_intensity(measured.busy)
    if (measured.sm or 0.0) < limit["access_sm"]:
        return None
    return None if access is None else (access / limit["intense_access"],) * 2


def _weak(measured: Measures) -> list[Message]:
    power, access = intensity(measured), access_intensity(measured.busy)
    if power is not None and power[1] < thresholds()["intense"]:
        return [evidence("weak-power", share=100 * power[1])]
    return [] if access is None else [evidence("weak-access", share=100 * access)]


def _sm(measured: Measures) -> tuple[Message, ...]:
    return () if measured.sm is None else (evidence("sm", sm=measured.sm),)
