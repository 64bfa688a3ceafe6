"""What is tried and what came of it. Memory is in units of 10^6 bytes."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.proof.model import Expected, Outcome

Variant = Literal["base", "mixed", "smaller", "accumulate", "growth"]
Bound = Literal["memory", "time", "most", "failed"]
Ending = Literal["fits", "out-of-memory", "crashed", "slow", "failed"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a batch is trained. `cap_mb`: what a training on the CPU may take; `model`: the user's `FILE.py:function`."""

    batch: int
    side: int
    cap_mb: float
    mixed: bool = False
    growth: bool = False
    accumulate: int = 1
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """One batch in one child. `peak_mb`: what it used; `taken_mb`: what was taken of the card, by its driver."""

    options: Options
    ending: Ending
    seconds: tuple[float, ...] = ()
    peak_mb: float | None = None
    taken_mb: float | None = None
    words: str | None = None
    outcome: Outcome | None = None  # where it failed for another reason than memory
    last_lines: tuple[str, ...] = ()
    gpus: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    detail: Mapping[str, str] = field(default_factory=dict)

    @property
    def rate(self) -> float | None:
        """Return images a second, by the median step."""
        return self.options.batch / max(statistics.median(self.seconds), 1e-9) if self.seconds else None


@dataclass(frozen=True, slots=True)
class Found:
    """The end of one search. `bound`: what kept the batch from being larger; `largest` is None where nothing fits."""

    variant: Variant
    largest: Trial | None
    bound: Bound
    trials: tuple[Trial, ...]


@dataclass(frozen=True, slots=True)
class Study:
    expected: Expected
    framework: str
    options: Options
    found: tuple[Found, ...]
    seconds: float
    date: str
    growth: tuple[Trial, ...] = ()  # the same batch without and with memory growth; empty on a CPU
    skipped: tuple[Variant, ...] = ()  # for want of time

    def of(self, variant: Variant) -> Found | None:
        return next((one for one in self.found if one.variant == variant), None)

    @property
    def failed(self) -> Trial | None:
        """Return the trial that says why nothing could be found at all."""
        base = self.of("base")
        if base is None or base.largest is not None:
            return None
        return base.trials[-1] if base.trials else None
