"""What a setting is, what it would become, and what the sources say of that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.changes import Change
    from trueup.values import Message, Source, Unknown

Effect = Literal["documented", "measured", "unmeasured", "none"]
Verdict = Literal[
    "good",  # nothing to do
    "advised",  # trueup would change it
    "wish",  # only where the user wants it
    "yours",  # worth a change that trueup does not make: the steps are told
    "unknown",  # it could not be read
]


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of a setting on every machine. `way`: how it is kept, for settings that one reader serves."""

    name: str
    systems: tuple[str, ...]
    effect: Effect
    admin: bool
    restart: bool
    sources: tuple[Source, ...]
    registry: Mapping[str, Any] | None = None
    power: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Lore:
    """What guides tell, and what it is worth: false, unproven, misread or harmful."""

    name: str
    verdict: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What only the user does. `command` is typed text for a shell."""

    text: Message
    command: str | None = None
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """A key of a section of an ini file; None takes the key out."""

    path: str
    section: str
    key: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of this machine. `word` is what stands after `NAME=` to get the goal."""

    row: Row
    verdict: Verdict
    now: Message | Unknown
    goal: Message | None = None
    word: str | None = None
    why: Message | None = None
    changes: tuple[Change, ...] = ()
    edits: tuple[Edit, ...] = ()
    steps: tuple[Step, ...] = ()
    notes: tuple[Message, ...] = ()

    @property
    def name(self) -> str:
        return self.row.name

    @property
    def can_apply(self) -> bool:
        return bool(self.changes or self.edits)


@dataclass(frozen=True, slots=True)
class Asked:
    """What the user asks for: values by name (None: the advised one), and an environment."""

    values: Mapping[str, str | None] = field(default_factory=dict)
    env: str | None = None

    def names(self, row: Row) -> bool:
        return row.name in self.values

    def word(self, row: Row, default: str | None) -> str | None:
        return self.values.get(row.name) or default
