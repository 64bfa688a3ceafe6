"""Steps that mend findings, and how a walk over them ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trueup.diagnose.findings.model import Checkup, Finding

End = Literal[
    "aligned",  # the environment can use the card
    "ready",  # nothing stands in the way, and nothing is built
    "cpu-only",  # there is no card to make use of
    "yours",  # what remains only the user can do
    "left",  # the steps for it were tried, or declined, and it is there still
    "unknown",  # something could not be read
]


@dataclass(frozen=True, slots=True)
class Mend:
    """One step. `argv`: words of a command of trueup; empty where only the user can do it, as the finding tells.

    `why`: the reason why no command of ours does it, a message `doctor.why-…`. `in_place`: it changes an environment
    that somebody else made, which nobody may do unasked.
    """

    finding: Finding | None  # None: nothing is wrong, an environment is to be built
    argv: tuple[str, ...]
    admin: bool = False
    why: str | None = None
    in_place: bool = False

    @property
    def command(self) -> str:
        """Return the command as it is typed."""
        words = (f'"{word}"' if any(c in word for c in " &()") else word for word in self.argv)
        return " ".join(("trueup", *words)) if self.argv else ""


Took = Literal["helped", "helped-not", "failed"]  # failed: the command itself said so, or was declined


@dataclass(frozen=True, slots=True)
class Walked:
    """`done`: the steps that were taken, and what came of each. `left`: what stopped the walk."""

    end: End
    checkup: Checkup
    done: tuple[tuple[Mend, Took], ...]
    left: Mend | None = None
