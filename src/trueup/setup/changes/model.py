"""A change is: the state of a target goes from `before` to `after`. Undo compares states, so it needs no luck."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.model import EnvChange

State = Any  # what JSON can hold; None says that the target is not there
Result = Literal[
    "restored",  # it is as it was before the change
    "already",  # it was so without our help
    "moved",  # somebody changed it since: put beside, whole
    "kept",  # somebody changed it since: left as it is
    "in-use",  # a running program holds it: left as it is
    "failed",  # it could not be read or written
]
Outlook = Literal["restorable", "already", "moves", "kept", "in-use", "failed"]


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

    @property
    def name(self) -> str:
        """Return what is changed, to be shown where something fails."""
        if self.kind.startswith("registry"):
            return "\\".join(self.target.values())
        return self.target.get("path") or " -> ".join(self.target.values())


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one change when it was taken back.

    `why`: the system's own text where it failed, the programs where it is in use, the place where it was
    moved to.
    """

    change: Change
    result: Result
    why: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """What taking a change back would do now. `since` says what was changed since, where that can be told."""

    change: Change
    outlook: Outlook
    why: str = ""
    since: tuple[EnvChange, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """One transaction of the journal. `finished` is false where the process died in the middle."""

    ident: str
    command: str
    time: str
    changes: tuple[Change, ...]
    finished: bool
    undone: bool


class InUse(OSError):  # noqa: N818  # a state of the world, told by its name
    """Running programs hold the thing. The text names them."""


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


@runtime_checkable
class NeedsOthers(Protocol):
    """A kind whose things lie in others, which are made, and journaled, first."""

    def needs(self, target: Mapping[str, str], state: State) -> Iterable[Change]:
        """Return the changes that a write of this state needs first, outermost first."""
        ...


@runtime_checkable
class InSteps(Protocol):
    """A kind that some system can only write in two steps."""

    def between(self, change: Change, present: State) -> bool:
        """Tell whether a kill in the middle of one of our own writes leaves this state."""
        ...


@runtime_checkable
class LeavesRests(Protocol):
    """A kind of which a kill can leave something of ours beside the target."""

    def sweep(self, target: Mapping[str, str]) -> None:
        """Remove what a killed write left. No other write runs meanwhile."""
        ...


@runtime_checkable
class SetsAside(Protocol):
    """A kind whose things are put beside, whole, where somebody worked on them since."""

    def since(self, change: Change, present: State) -> tuple[EnvChange, ...] | None:
        """Return what was changed since; None where it is another thing, which stays."""
        ...

    def holders(self, target: Mapping[str, str]) -> tuple[str, ...]:
        """Return the running programs that use it."""
        ...

    def set_aside(self, target: Mapping[str, str]) -> str:
        """Put it beside and return where. Raises OSError."""
        ...
