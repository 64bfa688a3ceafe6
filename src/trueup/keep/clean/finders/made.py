"""How a search writes down what it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.values import Message, Param

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.keep.clean.model import Kind, Rewrite, Sure
    from trueup.keep.clean.own import Profile
    from trueup.setup.changes import Change


@dataclass(frozen=True, slots=True)
class Found:
    """Before it is measured. `profile` says whose files are expected in `path`; None: nobody's work can be there.

    `measured`: what `command` empties.
    """

    kind: Kind
    name: str
    why: Message
    sure: Sure
    path: Path | None = None
    profile: Profile | None = None
    measured: Path | None = None
    changes: tuple[Change, ...] = ()
    rewrite: Rewrite | None = None
    command: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    about: tuple[Message, ...] = ()


def why(name: str, /, **params: Param) -> Message:
    return Message(f"clean.why-{name}", params)
