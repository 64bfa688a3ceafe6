"""What a build tells while it works. The caller renders; nothing here speaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.plan.steps import StepId
    from trueup.values import Message


@dataclass(frozen=True, slots=True)
class Started:
    """A step begins."""

    step: StepId


@dataclass(frozen=True, slots=True)
class Finished:
    """A step ended well. `reused`: an earlier, interrupted run had done it."""

    step: StepId
    seconds: float
    reused: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Bytes of the downloads. `total` grows while uv finds out what its cache lacks.

    What is finished is exact. A package in flight is counted by what uv has unpacked of it so far.
    """

    step: StepId
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth a line, such as a user's setting that is not used."""

    text: Message


Event = Started | Finished | Progress | Note
OnEvent = Callable[[Event], None]


def silent(_: Event) -> None:
    """Take an event and do nothing with it."""
