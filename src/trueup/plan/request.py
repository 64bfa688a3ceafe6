"""What the resolver is asked for, made from an alignment. Pure: nothing here runs or reads anything."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.facts.model import Build, Platform
    from trueup.fit.model import Alignment
    from trueup.machine.model import Machine

# The minors of glibc that uv has a platform for; see `uv pip compile --help`.
GLIBC_MINORS: Final[tuple[int, ...]] = (17, 28, *range(31, 41))
# What an index of a framework is asked for, beside the framework itself. Everything else comes from the
# user's own index: such an index also holds old copies of numpy and others.
INDEX_FAMILY: Final = {"torch": ("torch", "torchvision", "torchaudio")}
# Without a pip of its own, `pip install` in an activated environment would change some other Python.
TOOLS: Final = ("pip",)
# Old releases that exist as source only, build without a compiler, and are asked for by TensorFlow 2.4-2.6
# and, jax for Python 3.8, by 2.12; see docs/locks.md.
# wrapt 1.12 has an optional C part: without a compiler it falls back to Python.
PURE_SDISTS: Final = ("clang", "jax", "termcolor", "wrapt")


@dataclass(frozen=True, slots=True)
class Index:
    """An index that is asked for the named packages and for nothing else."""

    name: str
    url: str
    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LockRequest:
    """The whole question to the resolver.

    `glibc_minor` is the 36 of glibc 2.36, None on Windows. `sdists` are names that may be built from
    source where no wheel exists.
    """

    python: str
    platform: Platform
    arch: str
    glibc_minor: int | None
    requirements: tuple[str, ...]
    constraints: tuple[str, ...]
    indexes: tuple[Index, ...] = ()
    sdists: tuple[str, ...] = PURE_SDISTS

    @property
    def uv_platform(self) -> str:
        """Return the name that uv's `--python-platform` takes."""
        if self.platform == "windows":
            return f"{self.arch}-pc-windows-msvc"
        return f"{self.arch}-manylinux_2_{self.glibc_minor}"

    @property
    def id(self) -> str:
        """Return a digest of the question: two equal questions may share a lock."""
        text = json.dumps(asdict(self), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()


def request(alignment: Alignment, machine: Machine | None = None) -> LockRequest:
    """Return the question for an alignment. The machine adds its glibc; without one the builds' least is taken."""
    builds = alignment.builds
    platform = builds[0].platform
    return LockRequest(
        python=alignment.python,
        platform=platform,
        arch=builds[0].arch,
        glibc_minor=None if platform == "windows" else _glibc_minor(builds, machine),
        requirements=_requirements(alignment),
        constraints=tuple(sorted({*alignment.caps, *_pins(alignment)})),
        indexes=tuple(_indexes(builds)),
    )


def _requirements(alignment: Alignment) -> tuple[str, ...]:
    named = {canonicalize_name(Requirement(text).name) for text in alignment.requirements}
    added = [(n, f"{n}=={v}") for n, v in alignment.packages] + [(name, name) for name in TOOLS]
    return (*alignment.requirements, *(text for name, text in added if canonicalize_name(name) not in named))


def _pins(alignment: Alignment) -> Iterable[str]:
    return (f"{name}=={version}" for name, version in alignment.packages)


def _glibc_minor(builds: tuple[Build, ...], machine: Machine | None) -> int:
    least = max((_minor(build.glibc) for build in builds if build.glibc), default=GLIBC_MINORS[1])
    has = least if machine is None or isinstance(machine.glibc, Unknown) else _minor(machine.glibc)
    return max((minor for minor in GLIBC_MINORS if minor <= has), default=GLIBC_MINORS[0])


def _minor(glibc: str) -> int:
    return int(glibc.split(".")[1])


def _indexes(builds: tuple[Build, ...]) -> Iterable[Index]:
    for number, build in enumerate(builds):
        if build.index:
            family = INDEX_FAMILY.get(build.framework, ())
            yield Index(
                f"{build.framework}-{number}",
                build.index,
                tuple({build.package: None, **dict.fromkeys(family)}),
            )
