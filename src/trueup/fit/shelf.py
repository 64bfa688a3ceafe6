"""Builds sorted once by where they run, and which of them no rule can tell apart."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from trueup.facts.model import Build
from trueup.fit.limits import metadata
from trueup.fit.versions import accepts, version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.facts.model import Flavour, Platform
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.wish import Ask


class Shelf(tuple[Build, ...]):
    """Builds that are told from others by identity: to hash a hundred of them costs more than a solve."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


@lru_cache(maxsize=512)
def shelf(facts: Knowledge, framework: str, flavour: Flavour, platform: Platform) -> Shelf:
    """Return a framework's builds for one platform in one flavour, newest first."""
    here = (b for b in facts.builds(framework) if b.flavour == flavour and b.platform == platform)
    return Shelf(sorted(here, key=lambda b: version(b.version), reverse=True))


@lru_cache(maxsize=512)
def for_arch(builds: Shelf, arch: str) -> Shelf:
    return Shelf(b for b in builds if b.arch == arch)


@lru_cache(maxsize=1024)
def taken(
    facts: Knowledge, ask: Ask, builds: Shelf, *, whole: bool, deep: bool = False
) -> tuple[bool, tuple[Build, ...]]:
    """Return whether a wish takes any of the builds, and those of the CUDA that it names.

    Unless the `whole` list is wanted, of builds that differ in nothing but the release the newest stands
    for all, as every rule says the same of them; and of the distributions of one release the best-named.
    With `deep` they must agree in their METADATA too: it counts where frameworks share an environment.
    """
    named = _of_plugin(ask, builds)
    wanted = [b for b in named if accepts(ask.specifier, ask.version_of(b))]
    of_cuda = tuple(b for b in wanted if _cuda_fits(ask, b))
    return bool(wanted), of_cuda if whole else _best_named(ask, _distinct(facts, of_cuda, deep=deep))


def _of_plugin(ask: Ask, builds: Shelf) -> Iterable[Build]:
    """Return the builds of the DirectML distribution that was typed: the fork is another one than the plug-in."""
    if ask.flavour != "directml":
        return builds
    return [b for b in builds if ask.dist in {b.package, *ask.pins(b)}] or builds


def _cuda_fits(ask: Ask, build: Build) -> bool:
    if ask.cuda is None or build.cuda is None:
        return True
    return build.cuda == ask.cuda if "." in ask.cuda else build.cuda.split(".")[0] == ask.cuda


def _distinct(facts: Knowledge, builds: tuple[Build, ...], *, deep: bool) -> tuple[Build, ...]:
    number = kinds(facts, builds[0].framework, deep=deep) if builds else {}
    seen: dict[int, Build] = {}
    for build in builds:
        seen.setdefault(number[id(build)], build)
    return tuple(seen.values())


def name_rank(ask: Ask, build: Build) -> int:
    """Return 0 for the distribution that was typed, 1 for the framework's own name, 2 for its other names."""
    return 0 if build.package == ask.dist else 1 if build.package == build.framework else 2


def _best_named(ask: Ask, builds: tuple[Build, ...]) -> tuple[Build, ...]:
    best: dict[object, Build] = {}
    for build in sorted(builds, key=lambda b: name_rank(ask, b)):
        best.setdefault((build.version, build.cuda, build.index), build)
    kept = {id(build) for build in best.values()}
    same = ((b, best[b.version, b.cuda, b.index]) for b in builds)
    return tuple(b for b, other in same if id(b) in kept or not set(b.pythons) <= set(other.pythons))


@lru_cache(maxsize=64)
def kinds(facts: Knowledge, framework: str, *, deep: bool) -> dict[int, int]:
    """Return the number of each build's kind. Facts hand out the same builds each time."""
    numbers: dict[object, int] = {}
    found = {}
    for build in facts.builds(framework):
        marks = (_marks(build), metadata(facts, build) if deep else None)
        found[id(build)] = numbers.setdefault(marks, len(numbers))
    return found


def _marks(build: Build) -> tuple[object, ...]:
    where = (build.package, build.platform, build.arch, build.flavour, build.index)
    cuda = (build.cuda, build.cudnn, build.cuda_from, build.code, build.library_code)
    beside = build.requirements[1:]  # the first is the release itself
    return (where, cuda, beside, build.pythons, build.caps, build.glibc, build.cpu_features, build.notes)


@lru_cache(maxsize=256)
def newest_asked(facts: Knowledge, ask: Ask) -> Build | None:
    """Return the newest release that a wish takes, on whatever platform."""
    wanted = (b for b in facts.builds(ask.framework) if accepts(ask.specifier, ask.version_of(b)))
    return max(wanted, key=lambda b: version(b.version), default=None)
