"""What a check-up says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trueup.fit.model import Solution
    from trueup.machine.inventory.model import Environment, Survey
    from trueup.values import Message

Layer = Literal[
    "card", "system", "driver", "wsl", "python", "framework", "packages", "runtime", "cuda", "settings"
]
Status = Literal["ok", "notice", "problem", "unknown"]
# aligned: the environment can use the card. ready: nothing is built yet and nothing stands in the way.
Outcome = Literal["aligned", "ready", "not-aligned", "cpu-only", "unknown"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """One way out. `command` is typed text for the shell of the machine."""

    text: Message
    command: str | None = None
    admin: bool = False
    restart: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What one look at one layer says. `harmless`: people take it for a fault, and it is none."""

    id: str
    layer: Layer
    status: Status
    text: Message
    evidence: tuple[Message, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    harmless: bool = False


@dataclass(frozen=True, slots=True)
class CudaNumbers:
    """The three numbers that people compare: they need not be equal."""

    driver: str | None
    toolkit: str | None
    framework: str | None


@dataclass(frozen=True, slots=True)
class Checkup:
    """`subject` is the environment that was judged; None: there is none with a framework.

    `command` builds what fits. `line`: the CUDA that wheels would bring into `subject` as it is; None where none can.
    """

    outcome: Outcome
    cause: Finding | None
    findings: tuple[Finding, ...]
    ruled_out: tuple[Message, ...]
    numbers: CudaNumbers
    survey: Survey
    subject: Environment | None
    framework: str
    command: str
    solution: Solution
    line: str | None = None
