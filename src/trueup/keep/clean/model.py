"""What can be cleaned up, why, how sure that is, and what speaks against it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.setup.changes import Change
    from trueup.values import Message

Kind = Literal[
    "python-key",  # registry entry of a Python that is gone
    "python",  # folder of a Python
    "user-site",  # packages of the user for a Python that is not there
    "conda",  # folder or environment of conda
    "conda-list",  # conda's list names environments that are gone
    "toolkit",  # folder of a CUDA toolkit
    "variable",  # CUDA_PATH… that leads nowhere
    "distribution",  # broken package
    "shadow",  # package of the user before the environment's own
    "path",  # entries of PATH
    "cache",
    "environment",  # built by trueup
    "building",  # half-built by trueup
]
Sure = Literal["certain", "likely", "look"]
"""certain: it serves nothing. likely: nothing was found that uses it. look: only its owner can tell."""


@dataclass(frozen=True, slots=True)
class Size:
    """Of a tree, links not followed. `whole` is false where counting was stopped or a folder could not be read.

    `newest`: time of the last change of a file, seconds since 1970. `shared`: bytes of files that are linked from
    elsewhere too, which moving does not free.
    """

    bytes: int = 0
    files: int = 0
    whole: bool = True
    newest: float = 0.0
    shared: int = 0


@dataclass(frozen=True, slots=True)
class Against:
    """What speaks against taking an item away. `hard`: not even on wish."""

    message: Message
    hard: bool


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A text file that gets another content."""

    path: Path
    before: bytes
    after: bytes


@dataclass(frozen=True, slots=True)
class Item:
    """One thing. What is done is one of: `path` is moved, `changes`, `rewrite`, `command` of its own tool, `steps`.

    `steps` are lines for the user, such as those that need an administrator. `own`: files in it that no
    installer brought, the first of them.
    """

    handle: str
    kind: Kind
    name: str
    why: Message
    sure: Sure
    path: Path | None = None
    changes: tuple[Change, ...] = ()
    rewrite: Rewrite | None = None
    command: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    size: Size | None = None
    own: tuple[str, ...] = ()
    against: tuple[Against, ...] = ()
    about: tuple[Message, ...] = field(default=())

    @property
    def offered(self) -> bool:
        """Tell whether `--all` takes it: nobody's work is in it, and nobody need look first."""
        return self.doable and not self.own and not self.against and self.sure != "look" and not self.command

    @property
    def doable(self) -> bool:
        """Tell whether trueup can do it when it is named."""
        return bool(self.path or self.changes or self.rewrite or self.command) and not any(
            one.hard for one in self.against
        )


@dataclass(frozen=True, slots=True)
class Left:
    """An item that was not taken away, and why."""

    item: Item
    why: Message


@dataclass(frozen=True, slots=True)
class Done:
    """What became of the items. `trash`: where moved ones lie."""

    taken: tuple[tuple[Item, str], ...]
    left: tuple[Left, ...]
