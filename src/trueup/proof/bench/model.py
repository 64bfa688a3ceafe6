"""What a bench measured, under what conditions, and what the card could do at most."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.proof.model import Expected, Outcome, Phase

UNITS = ("flop", "byte", "image")


@dataclass(frozen=True, slots=True)
class Figure:
    """`seconds` of one run each; `amount`: what one run does, in its unit (`flop`, `byte`, `image`)."""

    name: str
    unit: str
    amount: float
    seconds: tuple[float, ...]
    detail: Mapping[str, str] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Return units a second, by the median."""
        return self.amount / max(statistics.median(self.seconds), 1e-12)

    @property
    def spread(self) -> float:
        """Return the middle half of the repetitions' width as a share of their median."""
        if len(self.seconds) < 3:
            return 1.0
        low, middle, high = statistics.quantiles(self.seconds, n=4, method="inclusive")
        return (high - low) / max(middle, 1e-12)


@dataclass(frozen=True, slots=True)
class PassedOver:
    """A figure that was not measured. `kind`: no-device, no-hardware, not-offered, no-time, out-of-memory, failed."""

    name: str
    kind: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Bench:
    """The answer. `outcome` is `proven` where the course went to its end; figures are kept however it ended."""

    outcome: Outcome
    expected: Expected
    framework: str
    phase: Phase
    seconds: float
    date: str = ""
    python: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    gpus: tuple[str, ...] = ()
    build: Mapping[str, str] = field(default_factory=dict)
    hidden: str | None = None
    tf32_default: str | None = None  # "on" or "off": the framework's own
    figures: tuple[Figure, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    during: str | None = None  # the figure that was being measured when the process ended
    ending: str | None = None
    words: str | None = None
    last_lines: tuple[str, ...] = ()
    waited: float | None = None

    def of(self, name: str) -> Figure | None:
        return next((one for one in self.figures if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What was seen of the card while it worked; shares from 0 to 1, None where nothing was told.

    `clock`, `memory_clock`: of the card's own top. `hot`, `capped`: of the samples under load.
    `gen`, `width`: the link under load, and what the card could. `plugged`: False on battery.
    `others`: share of the card that other programs took. `host_busy`: of the processor, before the bench.
    """

    clock: float | None = None
    memory_clock: float | None = None
    hot: float | None = None
    capped: float | None = None
    power_w: float | None = None
    power_limit_w: float | None = None
    gen: float | None = None
    width: float | None = None
    gen_max: float | None = None
    width_max: float | None = None
    plugged: bool | None = None
    others: float | None = None
    host_busy: float | None = None
    samples: int = 0


@dataclass(frozen=True, slots=True)
class Limits:
    """What the card can do at most: TFLOP/s by format, GB/s of its memory; None where it is not known."""

    name: str
    tflops: Mapping[str, float | None]
    bandwidth_gbs: float | None
    power_w: float | None = None
    laptop: bool = False
    tensor_cores: bool = True
