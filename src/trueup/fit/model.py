"""Questions to the solver and its answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from trueup.facts.model import Build
    from trueup.values import Message, Source

Route = Literal["windows-native", "wsl2", "linux", "directml", "cpu"]
Status = Literal["gpu", "gpu-after-change", "cpu-only", "impossible"]
Preference = Literal["newest", "stable", "smallest", "installed"]
Kernels = Literal["native", "ptx-jit", "none", "unknown"]

ROUTES: tuple[Route, ...] = get_args(Route)
PREFERENCES: tuple[Preference, ...] = get_args(Preference)


class Outcome(str, Enum):
    OK = "ok"
    CHANGE = "change"  # holds after a change of the machine
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Change:
    """What would have to change on the machine. `command` is typed text for a shell, where one does it."""

    id: str  # update-driver, install-driver, enable-wsl2, free-disk, update-windows ...
    text: Message
    admin: bool = False
    restart: bool = False
    command: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of one candidate."""

    rule: str  # os-no-build, driver-floor, arch-no-code ...
    outcome: Outcome
    text: Message
    source: Source | None = None
    change: Change | None = None


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user wants. `requirements` are PEP 508 texts of frameworks and others; `python` a specifier."""

    requirements: tuple[str, ...]
    python: str | None = None
    routes: tuple[Route, ...] | None = None
    prefer: Preference = "stable"
    gpu_required: bool = False


@dataclass(frozen=True, slots=True)
class Alignment:
    """A consistent set: what to install where, and what it runs on."""

    route: Route
    builds: tuple[Build, ...]
    python: str  # "3.10"
    packages: tuple[tuple[str, str], ...]  # name, version: frameworks and what trueup adds by hand
    requirements: tuple[str, ...]  # everything that the resolver is asked for
    caps: tuple[str, ...]
    cuda: str | None
    cudnn: str | None
    kernels: Kernels
    changes: tuple[Change, ...]
    served: tuple[str, ...]  # names of the cards that will work
    not_served: tuple[str, ...]
    binding: Message  # the one reason why it is this and not more
    notes: tuple[Message, ...]
    download_mb: int | None
    disk_mb: int | None


@dataclass(frozen=True, slots=True)
class Rejection:
    """The nearest candidate of a route, and what ruled it out; `also` lists what fails for the same reasons."""

    route: Route
    nearest: str  # "tensorflow 2.15.1"
    reasons: tuple[Verdict, ...]
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Solution:
    """`beside`: the further environments of a wish that one environment cannot hold; `best` is the first."""

    status: Status
    best: Alignment | None
    alternatives: tuple[Alignment, ...]
    rejected: tuple[Rejection, ...]
    assumptions: tuple[Message, ...]
    notes: tuple[Message, ...]
    beside: tuple[Alignment, ...] = ()
