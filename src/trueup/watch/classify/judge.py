"""The order of the rules: what makes later measurements meaningless is asked first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.values import Message
from trueup.watch.classify import limits, outside, pipeline
from trueup.watch.classify.measures import Measures, intensity, mean, measure, thresholds
from trueup.watch.classify.model import Finding, Trace, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable

RULES: tuple[Callable[[Measures], Finding | None], ...] = (
    outside.another_process,
    limits.paging,
    outside.swapping,
    outside.battery,
    limits.heat,
    limits.power,
    limits.narrow_link,
    pipeline.slow_disk,
    pipeline.crowded_cores,
    pipeline.busy_cores,
    pipeline.small_batch,
    pipeline.one_core,
    pipeline.host_bound,
    outside.compiling,
)


def classify(trace: Trace) -> Verdict:
    """Return what held the training back. Of several causes, what to mend first comes first."""
    measured = measure(trace)
    facts = tuple(_facts(measured))
    whole = trace.points[-1].at - trace.points[0].at if trace.points else 0.0
    if not trace.card:
        return Verdict("no-card", (), facts, whole)
    unused = outside.unused(measured)
    if unused is not None:
        return Verdict("held-back", (unused,), facts, whole)
    compiled = outside.compiling(measured)
    if not _enough(measured):
        found = (compiled,) if compiled else ()
        return Verdict("held-back" if compiled else "not-enough", found, facts, whole)
    findings = tuple(finding for rule in RULES if (finding := rule(measured)) is not None)
    if findings:
        return Verdict("held-back", findings, facts, whole)
    if measured.sm is None:
        return Verdict("not-enough", (), facts, whole)
    return Verdict("unclear" if measured.underused else "healthy", (), facts, whole)


def _enough(measured: Measures) -> bool:
    limit = thresholds()
    known = sum(point.sm is not None for point in measured.window)
    return measured.used and measured.seconds >= limit["least_seconds"] and known >= limit["least_points"]


def _facts(measured: Measures) -> list[Message]:
    """Return the figures that any verdict rests on."""
    rows = (
        ("sm", measured.sm if measured.trace.card else None),
        ("vram", mean(measured.busy, "vram")),
        ("power-share", _percent(intensity(measured))),
        ("cpu", measured.mean("cpu")),
        ("host-cpu", measured.mean("host_cpu")),
        ("disk", measured.mean("disk_busy")),
    )
    return [
        Message(f"held.fact-{name}", {"value": f"{value:.0f}"}) for name, value in rows if value is not None
    ]


def _percent(bounds: tuple[float, float] | None) -> float | None:
    """Return the one figure where both bounds are the same."""
    return 100 * bounds[0] if bounds is not None and bounds[0] == bounds[1] else None
