"""What a proof is asked, what it tells on its way, and what it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

Expected = Literal["gpu", "cpu", "directml"]
Data = Literal["drawn", "mnist"]
Phase = Literal["start", "import", "devices", "data", "train", "compare", "measure"]

LEAST_ACCURACY = 0.95
COURSES = ("tensorflow", "torch")  # frameworks that the child can train with


class Outcome(str, Enum):
    PROVEN = "proven"
    CPU_FALLBACK = "cpu-fallback"  # a GPU was announced and the work was not done on it
    INACCURATE = "inaccurate"  # it trained and did not learn
    DISAGREES = "disagrees"  # the GPU computes something else than the CPU
    FAILED = "failed"  # an error of the framework after its import
    IMPORT_ERROR = "import-error"
    NOT_INSTALLED = "not-installed"  # the environment does not hold the framework
    NO_DATA = "no-data"  # the real data set could not be had
    CRASHED = "crashed"  # the process ended without an answer
    HUNG = "hung"
    UNREADABLE = "unreadable"  # an answer that is not one of ours
    NO_START = "no-start"  # the interpreter could not be started


@dataclass(frozen=True, slots=True)
class Timeouts:
    """The longest silence in each phase, in seconds. A training that goes on is never too long."""

    start: float = 300
    import_: float = 600  # a cold disk and a virus scanner
    devices: float = 600
    data: float = 600
    train: float = 900  # the first step loads the libraries and may compile kernels
    compare: float = 900
    measure: float = 300

    @classmethod
    def where(cls, kernels: str) -> Timeouts:
        """Return the limits for an alignment's `kernels`: a card that is newer than a build compiles at start."""
        hour = 3600
        return cls(devices=hour, train=hour, compare=hour) if kernels in {"ptx-jit", "unknown"} else cls()

    def of(self, phase: Phase) -> float:
        limit: float = getattr(self, "import_" if phase == "import" else phase)
        return limit


@dataclass(frozen=True, slots=True)
class Event:
    """A sign of life. `step` 0: the phase begins. `device` is the framework's name, "/GPU:0"."""

    phase: Phase
    device: str | None = None
    epoch: int = 0
    epochs: int = 0
    step: int = 0
    steps: int = 0
    loss: float | None = None
    accuracy: float | None = None


OnEvent = Callable[[Event], None]


def silent(_: Event) -> None:
    """Take an event and do nothing with it."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where things really were, as devices "GPU:0"; kernels as "Conv2D on GPU:0", empty where not told."""

    variables: tuple[str, ...]
    results: tuple[str, ...]
    kernels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far the GPU's result is from the CPU's, as a share of the largest value there."""

    operation: str
    error: float
    tolerance: float

    @property
    def holds(self) -> bool:
        return self.error <= self.tolerance  # a NaN does not hold


@dataclass(frozen=True, slots=True)
class Proof:
    """The answer. What was not reached is None or empty; `phase` is where it ended.

    `ending` is how a process ended that gave no answer: "SIGSEGV", "0xC0000005", "exit status 3". `words` are the
    error's own, `last_lines` the last that the process wrote; neither is ever translated.
    """

    outcome: Outcome
    expected: Expected
    framework: str
    phase: Phase
    seconds: float
    date: str = ""  # UTC, ISO 8601
    python: str | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    gpus: tuple[str, ...] = ()
    build: Mapping[str, str] = field(default_factory=dict)
    hidden: str | None = None  # CUDA_VISIBLE_DEVICES as the process saw it
    data: Data = "drawn"
    pictures: int | None = None  # trained on
    tested: int | None = None  # held out
    placement: Placement | None = None
    accuracy: float | None = None
    epochs: tuple[float, ...] = ()  # seconds each, on the device that was announced
    cpu_epoch: float | None = None  # seconds, where a GPU was announced
    agreement: tuple[Agreement, ...] = ()
    peak_mb: float | None = None  # of the GPU's memory, units of 10^6 bytes
    ending: str | None = None
    words: str | None = None
    last_lines: tuple[str, ...] = ()
    waited: float | None = None  # seconds of silence that were too long

    @property
    def speedup(self) -> float | None:
        """Return how many times faster an epoch was than on the CPU; the first holds the start-up."""
        steady = self.epochs[1:] or self.epochs
        if self.cpu_epoch is None or not steady:
            return None
        return self.cpu_epoch / max(min(steady), 1e-6)

    @property
    def exit_status(self) -> int:
        return {Outcome.PROVEN: 0, Outcome.CPU_FALLBACK: 4}.get(self.outcome, 1)
