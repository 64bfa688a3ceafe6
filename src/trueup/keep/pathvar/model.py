"""What a PATH is: variables of entries, and what a word leads to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trueup.values import Unknown

Scope = Literal["machine", "user", "process"]
State = Literal[
    "ok",
    "dead",  # no such folder
    "file",  # there is something, but no folder
    "duplicate",  # an earlier entry is the same folder
    "empty",
    "relative",  # leads to another folder wherever a program is started
    "away",  # its drive is not there now
    "network",  # on another computer, which was not asked
    "variable",  # a variable in it has no value
    "unread",
]
MENDABLE: tuple[State, ...] = ("dead", "file", "duplicate", "empty")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, `text` as it is written. `folder`: with variables put in. `twin`: where the first one stands."""

    text: str
    folder: str
    state: State
    twin: str = ""


@dataclass(frozen=True, slots=True)
class Variable:
    """One PATH. `kind`: the registry's type, None where it has none or was not read."""

    scope: Scope
    text: str
    entries: tuple[Entry, ...]
    kind: str | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One file that a word leads to. `stub`: it only opens the Store. `belongs`: a pip's interpreter."""

    path: str
    scope: Scope | None
    version: str | Unknown | None = None
    stub: bool = False
    belongs: str | Unknown | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """What the shell or the loader takes for a name, the winner first. `unread`: folders that could not be asked."""

    name: str
    hits: tuple[Hit, ...]
    unread: int = 0


@dataclass(frozen=True, slots=True)
class StartLine:
    """A line of a shell's start file that touches PATH."""

    file: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class View:
    """`stale`: folders of the registry's PATH that this process does not have: it is older than the change.

    `length`: characters of the PATH that a new program gets.
    """

    windows: bool
    process: Variable
    machine: Variable | Unknown | None
    user: Variable | Unknown | None
    programs: tuple[Word, ...]
    libraries: tuple[Word, ...]
    stale: tuple[str, ...] = ()
    session: tuple[str, ...] = ()  # folders that only this process has
    start_lines: tuple[StartLine, ...] = ()
    length: int = 0
    together: bool | None = None  # whether `python` and `pip` are of one installation
