"""Conditions of the catalog: `name`, `!name`, `a|b`, `tf >= 2.11`, `tf?`, `!tf?`."""

from __future__ import annotations

import functools
import operator
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

COMPARE = re.compile(r"([\w\-]+) (>=|<=|==|!=|<|>) ([\w.]+)")
OPERATORS: dict[str, Callable[[Version, Version], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
}
Truth = Literal["yes", "no", "unknown"]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """All that conditions can ask about: names that hold, and versions by name."""

    names: frozenset[str]
    versions: Mapping[str, tuple[Version, ...]]


@dataclass(frozen=True, slots=True)
class Compare:
    name: str
    sign: str
    than: Version

    def holds(self, at: Circumstances) -> Truth:
        """Compare every version that was stated; all must fit."""
        values = at.versions.get(self.name)
        if not values:
            return "unknown"
        return (
            "yes" if all(OPERATORS[self.sign](_short(one, self.than), self.than) for one in values) else "no"
        )


@dataclass(frozen=True, slots=True)
class Known:
    name: str

    def holds(self, at: Circumstances) -> Truth:
        return "yes" if at.versions.get(self.name) else "no"


@dataclass(frozen=True, slots=True)
class Name:
    name: str

    def holds(self, at: Circumstances) -> Truth:
        return "yes" if self.name in at.names else "no"


@dataclass(frozen=True, slots=True)
class Not:
    inner: Atom

    def holds(self, at: Circumstances) -> Truth:
        truth = self.inner.holds(at)
        return "no" if truth == "yes" else "yes"


@dataclass(frozen=True, slots=True)
class AnyOf:
    inner: tuple[Atom, ...]

    def holds(self, at: Circumstances) -> Truth:
        truths = {one.holds(at) for one in self.inner}
        return "yes" if "yes" in truths else "unknown" if "unknown" in truths else "no"


Atom = Compare | Known | Name | Not | AnyOf


def _short(one: Version, than: Version) -> Version:
    """`2.10.1 <= 2.10` is meant to hold: compare no deeper than the condition was written."""
    depth = len(than.release)
    return Version(".".join(map(str, one.release[:depth])))


@functools.cache
def parse(text: str) -> Atom:
    if "|" in text:
        return AnyOf(tuple(parse(part.strip()) for part in text.split("|")))
    if text.startswith("!"):
        return Not(parse(text[1:]))
    compare = COMPARE.fullmatch(text)
    if compare:
        return Compare(compare[1], compare[2], Version(compare[3]))
    return Known(text[:-1]) if text.endswith("?") else Name(text)


def names_in(atom: Atom) -> frozenset[str]:
    """Return the signals and flags that a condition asks for by name."""
    match atom:
        case Name(name):
            return frozenset((name,))
        case Not(inner):
            return names_in(inner)
        case AnyOf(inner):
            return frozenset().union(*map(names_in, inner))
        case _:
            return frozenset()


def compared_in(atom: Atom) -> frozenset[str]:
    """Return the versions that a condition compares."""
    match atom:
        case Compare(name=name) | Known(name):
            return frozenset((name,))
        case Not(inner):
            return compared_in(inner)
        case AnyOf(inner):
            return frozenset().union(*map(compared_in, inner))
        case _:
            return frozenset()
