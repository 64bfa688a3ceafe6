"""What a card can do at most, by its name: matrix products, memory, power."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.facts.names import BRANDS, brandless, key, looser
from trueup.facts.store import source, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.values import Source


@dataclass(frozen=True, slots=True)
class CardLimits:
    """Dense peaks in TFLOP/s with sums in FP32, at the boost clock; None: not known, or the card has no such units.

    `bandwidth_gbs` is in units of 10^9 bytes a second. A laptop's maker sets `power_w` and with it the clocks.
    """

    name: str
    memory_gb: float | None
    bandwidth_gbs: float | None
    fp32: float | None
    tf32: float | None
    fp16: float | None
    bf16: float | None
    power_w: float | None
    laptop: bool
    source: Source


@functools.cache
def _rows() -> Mapping[str, list[list[Any]]]:
    rows: dict[str, list[list[Any]]] = {}
    for row in table("card_limits")["rows"]:
        rows.setdefault(row[0], []).append(row)
    return rows


def of(name: str, memory_mb: float | None = None) -> CardLimits | None:
    """Return the limits of a card; its memory tells apart what shares a name. None where it is not in the table."""
    if (
        "mig" in name.lower().split()
    ):  # a slice has a part of the card, and which one the name alone does not say
        return None
    asked = key(name)
    for wanted in (asked, *looser(asked)):
        rows = _found(wanted)
        if rows:
            return _limits(_nearest(rows, memory_mb))
    return None


def _found(wanted: str) -> list[list[Any]]:
    rows, bare = _rows(), brandless(wanted)
    named = (bare, *(f"{brand} {bare}" for brand in sorted(BRANDS)))
    return rows.get(wanted) or [row for name in named for row in rows.get(name, ())]


def _nearest(rows: list[list[Any]], memory_mb: float | None) -> list[Any]:
    """Return the row of the memory that was read; the weakest where it was not: it promises least."""
    if memory_mb is None:
        return min(rows, key=lambda row: row[3] or 0.0)
    return min(rows, key=lambda row: abs((row[2] or 0.0) - memory_mb / 1024))


def _limits(row: list[Any]) -> CardLimits:
    _, name, memory, bandwidth, fp32, tf32, fp16, bf16, power, form, confidence, origin = row
    known = source(table("card_limits")["sources"], origin, confidence)
    return CardLimits(
        name, memory, bandwidth, fp32, tf32, fp16, bf16, power, laptop=form == "laptop", source=known
    )
