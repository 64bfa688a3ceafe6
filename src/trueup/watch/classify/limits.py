"""Causes in the card: heat, power, its link, its memory. Each is judged while the card works only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.watch.classify.measures import mean, middle, part, rate_of_card, rate_of_link, thresholds
from trueup.watch.classify.model import Finding
from trueup.watch.classify.outside import evidence, remedies

if TYPE_CHECKING:
    from trueup.values import Message
    from trueup.watch.classify.measures import Measures
    from trueup.watch.classify.model import Point


def heat(measured: Measures) -> Finding | None:
    limit = thresholds()
    hot, clock = part(measured.busy, "hot"), mean(measured.busy, "clock")
    if hot is None or hot < limit["hot_share"] or (clock is not None and clock > limit["hot_clock"]):
        return None
    told = [evidence("hot", share=100 * hot), *_clock(clock)]
    return Finding("heat", tuple(told), remedies("cool", "fan-dust"))


def power(measured: Measures) -> Finding | None:
    limit = thresholds()
    capped, clock = part(measured.busy, "capped"), mean(measured.busy, "clock")
    if capped is None or clock is None or capped < limit["capped_share"] or clock > limit["capped_clock"]:
        return None
    told = [evidence("capped", share=100 * capped), *_clock(clock)]
    watts = mean(measured.busy, "limit")
    if watts is not None:
        told.append(evidence("limit", watts=watts))
    return Finding("power-cap", tuple(told), remedies("power-limit", "power-plan"))


def _clock(clock: float | None) -> list[Message]:
    return [] if clock is None else [evidence("clock", clock=clock)]


def narrow_link(measured: Measures) -> Finding | None:
    """Idle links fall back to generation 1 by themselves: only points under load count."""
    limit = thresholds()
    points = measured.busy
    now, most = middle(points, rate_of_link), middle(points, rate_of_card)
    if now is None or not most or now / most > limit["narrow"] or not measured.underused:
        return None
    filled = middle(points, _filled)
    if filled is not None and filled < limit["link_share"]:
        return None
    if filled is None and (measured.sm or 0.0) > limit["link_blind"]:
        return None
    gen, width = middle(points, lambda one: one.gen), middle(points, lambda one: one.width)
    gen_max, width_max = middle(points, lambda one: one.gen_max), middle(points, lambda one: one.width_max)
    told = [evidence("link", gen=gen or 0, width=width or 0, gen_max=gen_max or 0, width_max=width_max or 0)]
    if filled is not None:
        told.append(evidence("filled", share=100 * filled))
    return Finding("narrow-link", tuple(told), remedies("slot", "less-copying"))


def _filled(point: Point) -> float | None:
    rate = rate_of_link(point)
    if not rate or point.received is None:
        return None
    return max(point.received, point.sent or 0.0) / rate


def paging(measured: Measures) -> Finding | None:
    """Windows moves the card's memory to the machine's when it is full: slow, and no error."""
    limit = thresholds()
    full, sent = mean(measured.busy, "vram"), middle(measured.busy, lambda one: one.sent)
    if not measured.trace.wddm or full is None or full < limit["full"]:
        return None
    if sent is None or sent < limit["paging_traffic"]:
        return None
    told = evidence("paging", vram=full, rate=sent)
    return Finding("wddm-paging", (told,), remedies("smaller-batch", "mixed-precision", "close-windows"))
