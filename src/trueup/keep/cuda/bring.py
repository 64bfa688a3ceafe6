"""What bringing NVIDIA's wheels into an environment would add, replace and cost. Nothing is changed here."""

from __future__ import annotations

import importlib.metadata
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trueup.keep.cuda.use import refuse
from trueup.keep.cuda.wanted import TOOLKIT, base
from trueup.plan.request import GLIBC_MINORS, LockRequest
from trueup.setup.errors import SetupError
from trueup.setup.locking import lock as resolve
from trueup.setup.record import site_packages
from trueup.setup.room import UNPACKED, short_of_disk
from trueup.setup.uv import Uv

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trueup.facts import Facts
    from trueup.keep.cuda.wanted import Wanted
    from trueup.machine.inventory.model import Environment, Survey
    from trueup.plan.lock import Lock

    Distribution = importlib.metadata.Distribution

SEPARATE: Final = 13  # from this CUDA on the wheels share no folder with those of older lines
OUT_OF_REACH: Final = ("offline", "dns", "hang")
CACHE_TIMEOUT_S: Final = 60


@dataclass(frozen=True, slots=True)
class Item:
    """A wheel to be installed. `before`: the version that it replaces. Sizes in bytes."""

    name: str
    version: str
    before: str | None
    download: int | None
    unpacked: int | None


@dataclass(frozen=True, slots=True)
class Bringing:
    """`aside`: name -> version of what makes room. `kept`: what is there already as it should be."""

    environment: Environment
    site: Path
    wanted: Wanted
    items: tuple[Item, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    lock: Lock | None = None
    cached: bool = False  # the index could not be reached; all of it comes from uv's cache

    @property
    def download(self) -> int | None:
        sizes = [one.download for one in self.items]
        return None if None in sizes else sum(size or 0 for size in sizes)

    @property
    def unpacked(self) -> int:
        known = (one.unpacked or round((one.download or 0) * UNPACKED) for one in self.items)
        return sum(known)


def plan(uv: Uv, facts: Facts, survey: Survey, environment: Environment, wanted: Wanted) -> Bringing:
    """Return what would be done. Raises SetupError of the resolver, TrueupError where others would break."""
    site = site_packages(Path(environment.path))
    there = installed(site)
    versions = {name: one.version for name, one in there.items() if name.startswith("nvidia-")}
    bringing = Bringing(environment, site, wanted)
    if _is_met(wanted, there):
        return replace(bringing, kept=tuple(sorted(versions.items())))
    lock, cached = _resolved(uv, survey, environment, wanted)
    locked = [one for one in lock.packages if one.name.startswith("nvidia-")]
    right = {one.name for one in locked if versions.get(one.name) == one.version and whole(there[one.name])}
    sizes = _unpacked(facts, survey, [one.name for one in locked])
    items = tuple(
        Item(
            one.name, one.version, versions.get(one.name), one.artifact.size,
            sizes.get((one.name, one.version)),
        )
        for one in locked
        if one.name not in right
    )  # fmt: skip
    aside = _aside(wanted.line, items, versions)
    kept = tuple((one.name, one.version) for one in locked if one.name in right)
    found = replace(
        bringing, items=items, aside=tuple(sorted(aside.items())), kept=kept, lock=lock, cached=cached
    )
    _check_others(there, found)
    return found


def installed(site: Path) -> dict[str, Distribution]:
    """Return canonical name -> distribution of one folder of packages."""
    found: dict[str, Distribution] = {}
    for one in importlib.metadata.distributions(path=[str(site)]):
        name = one.metadata["Name"]
        if name:
            found.setdefault(canonicalize_name(name), one)
    return found


def whole(one: Distribution) -> bool:
    """Tell whether every file that a distribution lists is there with its size."""
    for file in one.files or ():
        if not str(file).endswith(".pyc"):
            try:
                size = os.stat(str(file.locate())).st_size  # noqa: PTH116  # thousands of headers
            except OSError:
                return False
            if file.size is not None and file.size != size:
                return False
    return bool(one.files)


def _is_met(wanted: Wanted, there: Mapping[str, Distribution]) -> bool:
    """Tell without any index whether a known set is there; a release's list is known to the index alone."""
    rules = [Requirement(text) for text in wanted.requirements]
    if not rules or any(rule.name == TOOLKIT for rule in rules):
        return False
    found = [(rule, there.get(canonicalize_name(rule.name))) for rule in rules]
    return all(
        one is not None and rule.specifier.contains(one.version, prereleases=True) and whole(one)
        for rule, one in found
    )


def _resolved(uv: Uv, survey: Survey, environment: Environment, wanted: Wanted) -> tuple[Lock, bool]:
    question = _question(survey, environment, wanted)
    try:
        return resolve(question, uv=uv), False
    except SetupError as error:
        if error.kind == "conflict" and any(TOOLKIT in text for text in wanted.requirements):
            lines = ", ".join(wanted.others)
            raise refuse(
                "list-conflict", "lines", asked=wanted.line, lines=lines, quote=error.quote
            ) from error
        if error.kind not in OUT_OF_REACH:
            raise
        try:
            return resolve(question, uv=offline(uv)), True
        except SetupError:
            raise error from None


def offline(uv: Uv) -> Uv:
    return Uv(uv.exe, {**uv.env, "UV_OFFLINE": "1"})


def _question(survey: Survey, environment: Environment, wanted: Wanted) -> LockRequest:
    windows = survey.machine.os == "windows"
    arch = "aarch64" if survey.machine.arch in ("aarch64", "arm64") else "x86_64"
    return LockRequest(
        python=".".join(environment.python.version.split(".")[:2]),
        platform="windows" if windows else "linux",
        arch=arch,
        glibc_minor=None if windows else _glibc(survey),
        requirements=wanted.requirements,
        constraints=wanted.constraints,
        sdists=(),
    )


def _glibc(survey: Survey) -> int:
    """Return the minor that uv has a platform for; where it is unknown, the least of NVIDIA's newer wheels."""
    has = survey.machine.glibc
    minor = int(has.split(".")[1]) if isinstance(has, str) else GLIBC_MINORS[1]
    return max((one for one in GLIBC_MINORS if one <= minor), default=GLIBC_MINORS[0])


def _unpacked(facts: Facts, survey: Survey, names: Iterable[str]) -> dict[tuple[str, str], int]:
    system = "windows" if survey.machine.os == "windows" else "linux"
    wheels = [one for name in names for one in facts.library_wheels(name) if one.platform == system]
    return {(one.project, one.version): one.unpacked for one in wheels}


def _aside(line: str, items: tuple[Item, ...], versions: Mapping[str, str]) -> dict[str, str]:
    """Return what must make room: other versions, and the same library of another line, which shares its folder."""
    named = {one.name for one in items}
    bases = {base(one.name) for one in items}
    shared = int(line.partition(".")[0]) < SEPARATE
    return {
        name: version
        for name, version in versions.items()
        if name in named or (shared and base(name) in bases and re.search(r"-cu\d+$", name))
    }


def _check_others(there: Mapping[str, Distribution], bringing: Bringing) -> None:
    """Refuse where an installed package would not find what its own metadata asks for."""
    after = {
        **dict.fromkeys(name for name, _ in bringing.aside),
        **{one.name: one.version for one in bringing.items},
    }
    going = {name for name, _ in bringing.aside}
    for name, one in there.items():
        if name in going:
            continue
        for rule in _hard(one, bringing.environment):
            version = after.get(canonicalize_name(rule.name), "")
            if canonicalize_name(rule.name) in going and not (
                version and rule.specifier.contains(version, prereleases=True)
            ):
                params = {"package": f"{name} {one.version}", "rule": str(rule), "line": bringing.wanted.line}
                raise refuse("breaks", "own", env=bringing.environment.path, **params)


def _hard(one: Distribution, environment: Environment) -> Iterator[Requirement]:
    """Yield what a distribution asks of NVIDIA's wheels whoever installed it."""
    here = {"extra": "", "python_version": ".".join(environment.python.version.split(".")[:2])}
    for text in one.requires or ():
        rule = Requirement(text)
        if rule.name.lower().startswith("nvidia") and (rule.marker is None or rule.marker.evaluate(here)):
            rule.marker = None
            yield rule


def check_room(uv: Uv, bringing: Bringing) -> None:
    """Raise SetupError where a disk cannot take it."""
    cache = Path(uv.run(["cache", "dir"], timeout=CACHE_TIMEOUT_S).strip())
    short = short_of_disk(round(bringing.unpacked / 1e6), Path(bringing.environment.path), cache)
    if short is not None:
        raise short
