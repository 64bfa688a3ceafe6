"""A change is: the state of a target goes from `before` to `after`. Undo compares states, so it needs no luck."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.changes.blobs import Blobs

State = Any  # what JSON can hold; None says that the target is not there
Result = Literal[
    "restored",  # it is as it was before the change
    "already",  # it was so without our help
    "kept",  # somebody changed it since: left as it is
    "failed",  # it could not be read or written
]


@dataclass(frozen=True, slots=True)
class Change:
    """One change. `target` names the thing within its kind, by texts; `before` is filled in by a preview."""

    kind: str
    target: Mapping[str, str]
    after: State
    before: State = None

    def seen(self, before: State) -> Change:
        """Return the change with what is there now."""
        return replace(self, before=before)

    @property
    def needed(self) -> bool:
        return bool(self.before != self.after)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one change when it was taken back. `why` is the system's own text where it failed."""

    change: Change
    result: Result
    why: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """One transaction of the journal. `finished` is false where the process died in the middle."""

    ident: str
    command: str
    time: str
    changes: tuple[Change, ...]
    finished: bool
    undone: bool


class Kind(Protocol):
    """How one kind of thing is read and written. Each write happens as a whole or not at all."""

    def read(self, target: Mapping[str, str]) -> State:
        """Return what is there now. Raises OSError where it cannot be told."""
        ...

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Bring the target into the state. Raises FileExistsError where others' things are in the way, OSError."""
        ...

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Store what `write` will need to come back to this state, the present one."""
        ...
