"""A closed set of binaries: what is asked, what was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal

from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.facts.model import Platform
    from trueup.values import Source

How = Literal["import", "load"]
Place = Literal["set", "system", "python", "driver"]
Level = Literal["native", "mixed", "ptx", "partial", "none", "unknown"]
Opener = Callable[[], BinaryIO]


@dataclass(frozen=True, slots=True)
class File:
    """A member of the set. `name` is its path in the environment, with `/`.

    `open` is None where only the name is known, as from the directory of a wheel that was not downloaded.
    `size` is in bytes.
    """

    name: str
    size: int | None = None
    open: Opener | None = None

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Target:
    """For whom the set shall be closed.

    `framework` and `version` choose the names that are loaded at run time; `python` is "3.9".
    `system_runtime`: the machine itself has the VC++ runtime. `capabilities`: of the cards, "8.6".
    `beside`: (framework, version) of others with CUDA in the same set.
    """

    os: Platform
    framework: str
    version: str
    arch: str = "x86_64"
    python: str | None = None
    system_runtime: bool = False
    capabilities: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Missing:
    """A name that resolves nowhere. `feature`: what alone is lost; None: the framework is."""

    name: str
    wanted_by: str
    how: How
    feature: str | None = None


@dataclass(frozen=True, slots=True)
class MissingSymbol:
    symbol: str
    library: str
    wanted_by: str


@dataclass(frozen=True, slots=True)
class Reach:
    """How many modules of a library a card runs as they are, compiles at start, or cannot use."""

    native: int
    ptx: int
    none: int


@dataclass(frozen=True, slots=True)
class GpuLibrary:
    """The GPU code of one file. `reach` is by capability.

    Modules for which a card finds nothing are normal: a library holds kernels written for one architecture.
    What tells is how many fewer a card newer than the file can use than the newest card it was made for.
    """

    file: str
    modules: int
    reach: Mapping[str, Reach]
    source: Source | None = None  # None: counted in the file itself

    def newest_native(self, capability: str) -> str | None:
        """Return the newest capability below one that has machine code in the file."""
        older = [c for c, row in self.reach.items() if row.native and Version(c) < Version(capability)]
        return max(older, key=Version, default=None)

    def level(self, capability: str) -> Level:
        """Return what a card can use of it; `partial`: PTX for less than half of what older cards run."""
        found = self.reach.get(capability)
        if found is None:
            return "unknown"
        if found.native:
            return "mixed" if found.ptx else "native"
        if not found.ptx:
            return "none"
        older = self.newest_native(capability)
        return "partial" if older and 2 * found.ptx < self.reach[older].native else "ptx"


@dataclass(frozen=True, slots=True)
class ClosureReport:
    """The proof. `complete` is False as soon as one thing that is needed could not be shown.

    `read` of `files` binaries were opened; of the others only the names are known. `resolved` counts the
    wanted names by where they are. `code_unknown` names libraries of GPU code that nobody counted.
    """

    target: Target
    files: int
    read: int
    size: int
    resolved: Mapping[Place, int]
    symbols: int
    missing: tuple[Missing, ...] = ()
    missing_symbols: tuple[MissingSymbol, ...] = ()
    wrong_machine: tuple[tuple[str, str], ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()
    loads_known: bool = True
    loads_source: Source | None = None
    gpu: tuple[GpuLibrary, ...] = ()
    code_unknown: tuple[str, ...] = ()

    @property
    def needed(self) -> tuple[Missing, ...]:
        """Return what is missing and without which the framework does not work."""
        return tuple(row for row in self.missing if row.feature is None)

    @property
    def closed(self) -> bool:
        """Tell whether nothing that is needed is missing, as far as it was read."""
        return not (self.needed or self.missing_symbols or self.unreadable)

    @property
    def complete(self) -> bool:
        """Tell whether it is closed and all of it was read and known."""
        return self.closed and self.loads_known and self.read == self.files > 0
