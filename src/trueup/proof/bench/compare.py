"""Two benches side by side: a difference counts where it is larger than what both scatter. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Kind = Literal["faster", "slower", "same", "only-old", "only-new", "other-work"]
LEAST = 0.05  # two runs of one machine differ by this much with nothing changed
SIGMA = 2.0


@dataclass(frozen=True, slots=True)
class Value:
    """A figure as a file of `--json` keeps it."""

    rate: float
    spread: float
    unit: str
    detail: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Change:
    """`ratio`: new over old; `noise`: the least ratio, as a share, that counts."""

    name: str
    kind: Kind
    ratio: float | None = None
    noise: float | None = None


def compare(old: Mapping[str, Value], new: Mapping[str, Value]) -> tuple[Change, ...]:
    names: Iterable[str] = dict.fromkeys([*new, *old])
    return tuple(_change(name, old.get(name), new.get(name)) for name in names)


def _change(name: str, old: Value | None, new: Value | None) -> Change:
    if old is None or new is None:
        return Change(name, "only-new" if old is None else "only-old")
    ratio = new.rate / old.rate
    if old.unit != new.unit:
        return Change(name, "other-work", ratio)
    noise = max(LEAST, SIGMA * math.hypot(old.spread, new.spread))
    if abs(math.log(ratio)) <= math.log1p(noise):
        return Change(name, "same", ratio, noise)
    return Change(name, "faster" if ratio > 1 else "slower", ratio, noise)
