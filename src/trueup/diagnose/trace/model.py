"""A binary in the loader's view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO, Literal, Protocol

How = Literal["root", "import", "load"]
# where a name was found. system: what the operating system itself brings
Origin = Literal[
    "given", "loaded", "api-set", "application", "own-folder", "added", "system32", "windows", "current",
    "environment", "path", "rpath", "ld-library-path", "runpath", "cache", "default",
]  # fmt: skip
Open = Callable[[str], BinaryIO]


@dataclass(frozen=True, slots=True)
class Folder:
    path: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Found:
    """The answer to a name. `path` is None where nothing was found, or where no file is asked for (API sets).

    `looked` are the folders in the order of the search; `shadows` the same name in later ones.
    """

    path: str | None
    origin: Origin | None
    looked: tuple[str, ...] = ()
    shadows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chain:
    """Who loads whom: `files` from the one that asks up to the first. `by_path`: that one was loaded by its path.

    The first decides how Windows searches for all below it; on Linux each RPATH on the way counts.
    """

    files: tuple[str, ...]
    by_path: bool

    def below(self, path: str) -> Chain:
        return Chain((path, *self.files), self.by_path)


@dataclass(frozen=True, slots=True)
class Node:
    """One name that something needs. `feature`: what alone is lost without it; None: the framework is.

    `fault`: "wrong-machine" or "unreadable" for a file that is there and still does not load.
    """

    name: str
    wanted_by: str | None
    how: How
    found: Found
    version: str | None = None
    feature: str | None = None
    fault: str | None = None

    @property
    def missing(self) -> bool:
        return self.found.origin is None


@dataclass(frozen=True, slots=True)
class Trace:
    """Nodes in the order in which the loader meets them; each name once, under who asks first."""

    roots: tuple[str, ...]
    nodes: tuple[Node, ...]
    loads_known: bool

    @property
    def broken(self) -> tuple[Node, ...]:
        """Return what keeps the whole from being loaded."""
        return tuple(node for node in self.nodes if (node.missing or node.fault) and node.feature is None)


class Search(Protocol):
    """How one loader looks for names."""

    def imported(self, name: str, chain: Chain) -> Found:
        """Find a name of an import table."""
        ...

    def loaded(self, name: str, chain: Chain) -> Found:
        """Find a name that a program asks for while it runs."""
        ...

    def key(self, name: str) -> str:
        """Return the spelling under which a name counts as loaded already."""
        ...
