"""What an audit reads out of a text, and what it says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trueup.values import Message, Source

System = Literal["windows-native", "wsl2", "linux"]
Severity = Literal["dangerous", "wrong", "risky", "outdated", "fine-if"]
SEVERITIES: tuple[Severity, ...] = ("dangerous", "wrong", "risky", "outdated", "fine-if")
Kind = Literal["requirements", "environment", "pyproject", "dockerfile", "notebook", "text"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a finding stands. `line` counts from 1, inside the cell where there is one; `quote` is the text itself."""

    line: int
    column: int
    quote: str
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong, with every place that says it."""

    rule: str
    severity: Severity
    problem: Message
    right: Message
    source: Source
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Raw:
    """A finding before its places are gathered: `start` and `end` are offsets in the plain text."""

    rule: str
    severity: Severity
    problem: Message
    right: Message
    source: Source
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Mention:
    """A product with the versions that a text gives it. `low` and `high` are equal for a single version."""

    product: str  # tensorflow, cuda, cudnn, python, driver
    low: str
    high: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Package:
    """A requirement as a command or a file words it. `spec` is PEP 440; empty: any version."""

    name: str
    extras: str
    spec: str
    start: int
    end: int
    foreign: bool = False  # not resolved by pip: from conda's channels or inside an image


@dataclass(frozen=True, slots=True)
class Install:
    """One command, or one whole file of requirements."""

    tool: Literal["pip", "conda", "file"]
    packages: tuple[Package, ...]
    start: int
    end: int
    index: str | None = None
    alone: bool = True  # stands on its own: a line of code, not a phrase inside a sentence


@dataclass(frozen=True, slots=True)
class Audit:
    """The answer for one text. `system` is None where the text does not say for which it is."""

    name: str
    kind: Kind
    system: System | None
    findings: tuple[Finding, ...]
    claims: int  # version claims and install commands that were judged
    cut: bool = False  # too large: only a part of it was read
