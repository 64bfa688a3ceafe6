"""What is measured over a trace: means over the stretch in which it trained, never over its start."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from trueup.watch.classify.model import Point, Trace

# Raw MB/s of one lane, by generation: PCI Express base specification, less line coding.
LANE = {1: 250, 2: 500, 3: 985, 4: 1969, 5: 3938, 6: 7563}


@functools.cache
def thresholds() -> Mapping[str, float]:
    """Return the limits by name; the file says why each is what it is."""
    rows = json.loads(Path(__file__).with_name("thresholds.json").read_text("utf-8"))
    return {name: float(row["value"]) for name, row in rows.items()}


@dataclass(frozen=True, slots=True)
class Measures:
    """`window`: the points from the first in which the card worked to the last; all where it never did.

    `busy`: those of the window in which the card worked. `waiting`: those in which it mostly did not,
    or all of the window where these are few.
    """

    trace: Trace
    window: tuple[Point, ...]
    busy: tuple[Point, ...]
    waiting: tuple[Point, ...]
    seconds: float
    used: bool

    def mean(self, name: str, points: Iterable[Point] | None = None) -> float | None:
        return mean(self.window if points is None else points, name)

    @property
    def sm(self) -> float | None:
        return self.mean("sm")

    @property
    def underused(self) -> bool:
        return self.sm is not None and self.sm < thresholds()["well_used"]


def measure(trace: Trace) -> Measures:
    limit = thresholds()
    level = limit["active"]
    if not any((point.sm or 0.0) >= level for point in trace.points):
        level = _low_level(trace)
    active = [n for n, point in enumerate(trace.points) if (point.sm or 0.0) >= level]
    window = trace.points[active[0] : active[-1] + 1] if active else trace.points
    busy = tuple(point for point in window if (point.sm or 0.0) >= level)
    waiting = tuple(point for point in window if point.sm is not None and point.sm < limit["idle_point"])
    if len(waiting) < limit["waiting_share"] * len(window):
        waiting = window
    seconds = window[-1].at - window[0].at if window else 0.0
    return Measures(trace, window, busy, waiting, seconds, bool(active))


def _low_level(trace: Trace) -> float:
    """Return the SM share that counts where it is low throughout: a program that is seen on the card may do little."""
    limit = thresholds()
    own = [point.sm for point in trace.points if point.own and point.sm is not None]
    return limit["active_own"] if own and median(own) >= limit["active_own"] else limit["active"]


def mean(points: Iterable[Point], name: str) -> float | None:
    values = [value for point in points if (value := getattr(point, name)) is not None]
    return fmean(values) if values else None


def middle(points: Iterable[Point], of: Callable[[Point], float | None]) -> float | None:
    """Return the median of what is known."""
    values = [value for point in points if (value := of(point)) is not None]
    return median(values) if values else None


def part(points: Sequence[Point], name: str) -> float | None:
    """Return the share of the points that say yes, of those that say anything."""
    values = [value for point in points if (value := getattr(point, name)) is not None]
    return sum(map(bool, values)) / len(values) if values else None


def rate_of_link(point: Point) -> float | None:
    """Return what the link can carry one way, in MB/s."""
    if point.gen is None or point.width is None:
        return None
    lane = LANE.get(int(point.gen))
    return None if lane is None else lane * point.width


def rate_of_card(point: Point) -> float | None:
    if point.gen_max is None or point.width_max is None:
        return None
    lane = LANE.get(int(point.gen_max))
    return None if lane is None else lane * point.width_max


def intensity(measured: Measures) -> tuple[float, float] | None:
    """Return how hard the card works while it works, as (least, most): power above rest, over SM.

    The power of a card that rests with a program's context on it differs from card to card. Where the trace
    has such moments it is measured; else it lies between two bounds, and so does the answer.
    """
    limit = thresholds()
    first = measured.window[0].at if measured.window else 0.0
    rests = [
        point.power / point.limit
        for point in measured.trace.points
        if point.power is not None and point.limit and point.sm is not None and point.sm < limit["rest_sm"]
        if point.own or point.at > first
    ]
    known = median(rests) if rests else None
    low = _above(measured.busy, limit["rest_most"] if known is None else known)
    high = _above(measured.busy, limit["rest_least"] if known is None else known)
    return None if low is None or high is None else (low, high)


def _above(points: Sequence[Point], rest: float) -> float | None:
    power, sm = middle(points, _share), mean(points, "sm")
    if power is None or not sm:
        return None
    return max(0.0, power - rest) / (1 - rest) / (sm / 100)


def _share(point: Point) -> float | None:
    return None if point.power is None or not point.limit else point.power / point.limit


def access_intensity(points: Sequence[Point]) -> float | None:
    return middle(points, lambda one: None if one.access is None or not one.sm else one.access / one.sm)
