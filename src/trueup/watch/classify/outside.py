"""Causes outside of the training's own loop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.values import Message
from trueup.watch.classify.measures import mean, part, thresholds
from trueup.watch.classify.model import Finding

if TYPE_CHECKING:
    from trueup.watch.classify.measures import Measures
    from trueup.watch.classify.model import Point

UNKNOWN = 0.2  # share of points that may not tell whether the program is on the card
JIT_CORES = (70.0, 180.0)  # percent of one core: one thread compiles, others rest


def evidence(name: str, **values: float) -> Message:
    return Message(f"held.evidence-{name}", {key: f"{value:.0f}" for key, value in values.items()})


def remedies(*names: str) -> tuple[Message, ...]:
    return tuple(Message(f"held.do-{name}") for name in names)


def unused(measured: Measures) -> Finding | None:
    """Fell back to the CPU: the program computes, and is never on the card."""
    limit = thresholds()
    points = measured.trace.points
    seconds = points[-1].at - points[0].at if points else 0.0
    cpu = mean(points, "cpu")
    crowded = (mean(points, "host_cpu") or 0.0) >= limit["crowded"]
    if (
        cpu is None
        or cpu < limit["fallback_crowded" if crowded else "fallback_cpu"]
        or seconds < limit["fallback_seconds"]
    ):
        return None
    sm = mean(points, "sm")
    unknown = sum(point.own is None for point in points) / len(points)
    absent = part(points, "own") == 0.0 and unknown < UNKNOWN
    idle = sm is not None and not measured.used
    absent = absent and not measured.used
    if not absent and not (idle and _quiet(points)):
        return None
    told = [evidence("own-never")] if absent else [evidence("sm-idle", sm=sm or 0.0)]
    told.append(evidence("cpu", cpu=cpu))
    return Finding("cpu-fallback", tuple(told), remedies("check", "diagnose", "device"))


def _quiet(points: tuple[Point, ...]) -> bool:
    """Tell that no compiling explains the idle card: the cache did not grow at the end still."""
    sizes = [point.cache for point in points if point.cache is not None]
    return not sizes or sizes[-1] - sizes[len(sizes) // 2] < thresholds()["jit_growth"]


def another_process(measured: Measures) -> Finding | None:
    others = mean(measured.busy, "others")
    if others is None or others < thresholds()["others"]:
        return None
    return Finding("another-process", (evidence("others", sm=others),), remedies("end-other", "other-card"))


def swapping(measured: Measures) -> Finding | None:
    limit = thresholds()
    swap, ram = measured.mean("swap"), measured.mean("ram")
    if swap is None or ram is None or swap < limit["swap"] or ram < limit["swap_ram"]:
        return None
    return Finding("ram-full", (evidence("swap", rate=swap, ram=ram),), remedies("less-ram", "workers-ram"))


def battery(measured: Measures) -> Finding | None:
    plugged = part(measured.window, "plugged")
    if plugged is None or 1 - plugged < thresholds()["battery_share"]:
        return None
    told = [evidence("battery")]
    clock = mean(measured.busy, "clock")
    if clock is not None:
        told.append(evidence("clock", clock=clock))
    return Finding("battery", tuple(told), remedies("plug-in"))


def compiling(measured: Measures) -> Finding | None:
    """Kernels were compiled at the first step: a context, an idle card, one busy core, a growing cache."""
    limit = thresholds()
    points = measured.trace.points
    first = measured.window[0].at if measured.used and measured.window else float("inf")
    wait = [point for point in points if point.at < first and point.own is not False]
    begun = [point for point in wait if point.own] or wait
    if len(begun) < 3:
        return None
    seconds = begun[-1].at - begun[0].at
    whole = points[-1].at - points[0].at
    cpu = mean(begun, "cpu")
    if seconds < limit["jit_seconds"] or seconds < limit["jit_share"] * whole:
        return None
    if cpu is not None and not JIT_CORES[0] <= cpu <= JIT_CORES[1]:
        return None
    sizes = [point.cache for point in begun if point.cache is not None]
    grown = max(sizes) - sizes[0] if sizes else None
    if grown is None or grown < limit["jit_growth"]:
        return None
    told = evidence("jit", seconds=seconds, grown=grown)
    return Finding("jit", (told,), remedies("jit-once", "newer-build"))
