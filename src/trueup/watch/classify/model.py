"""What the rules see, and what they say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trueup.values import Message

Outcome = Literal["healthy", "held-back", "not-enough", "no-card", "unclear"]


@dataclass(frozen=True, slots=True)
class Point:
    """One sample of the card that the program uses; None is "not known".

    Percentages are 0 to 100; `vram` and `clock` of the card's own maximum, `cpu` and `busiest` of one core.
    `own`: the program has a context on the card. `others`: SM share of everybody else.
    """

    at: float
    sm: float | None = None
    access: float | None = None
    vram: float | None = None
    power: float | None = None  # W
    limit: float | None = None  # W
    clock: float | None = None
    hot: bool | None = None
    capped: bool | None = None
    gen: float | None = None
    gen_max: float | None = None
    width: float | None = None
    width_max: float | None = None
    received: float | None = None  # MB/s
    sent: float | None = None  # MB/s
    own: bool | None = None
    others: float | None = None
    cpu: float | None = None
    busiest: float | None = None
    cache: float | None = None  # MiB
    host_cpu: float | None = None
    ram: float | None = None
    swap: float | None = None  # MB/s
    disk_busy: float | None = None
    disk_read: float | None = None  # MB/s
    plugged: bool | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A program from its start, or from when it was first watched, to its end. `card`: a card could be read."""

    points: tuple[Point, ...]
    cores: int
    card: bool = True
    wddm: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause with what was measured and what to do, the first remedy first."""

    cause: str
    evidence: tuple[Message, ...]
    remedies: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """`findings`: empty unless `held-back`; the first is what to mend first. `facts`: what was measured."""

    outcome: Outcome
    findings: tuple[Finding, ...]
    facts: tuple[Message, ...]
    seconds: float

    @property
    def cause(self) -> str:
        return self.findings[0].cause if self.findings else self.outcome
