"""What goes into a diagnosis and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

Role = Literal["cause", "further", "alternative"]


@dataclass(frozen=True, slots=True)
class Observation:
    """A known line that was seen. `line` counts from 1; 0 is a fact that was stated, not printed."""

    signal: str
    line: int
    text: str
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a remedy: `id` names it in the step library, `params` fill its places."""

    id: str
    params: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lookalike:
    """A cause that is often mistaken for this one, and what speaks against it.

    `why`: unseen (no such line), relation (facts do not stand so), instead (something seen excludes it), fact
    (`subject` is `stated`, it needs `asked`), unknown (`subject` is not known), weaker (it fits, but less well).
    """

    cause: str
    why: Literal["unseen", "relation", "instead", "fact", "unknown", "weaker"]
    subject: str = ""
    asked: str = ""
    stated: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause that fits the case.

    `role`: the cause, a further fault of its own, or an alternative if the first should be wrong.
    `facts`: the facts that decided, as `name` -> value. `confidence`: 0 to 1, calibrated on cases.
    """

    cause: str
    layer: str
    confidence: float
    evidence: tuple[Observation, ...]
    facts: tuple[tuple[str, str], ...]
    unlike: tuple[Lookalike, ...]
    remedy: tuple[Step, ...]
    role: Role = "cause"


@dataclass(frozen=True, slots=True)
class Harmless:
    """A line that looks like a fault and is none."""

    signal: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Ask:
    """A fact that would decide. `would` names the causes between which it decides."""

    fact: str
    would: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The answer. `causes` is ranked; empty means that the log and the facts do not tell.

    `own`: errors of the program itself or its data, where no cause was found.
    """

    causes: tuple[Finding, ...]
    harmless: tuple[Harmless, ...]
    unknown: tuple[Ask, ...]
    own: tuple[Observation, ...] = ()
