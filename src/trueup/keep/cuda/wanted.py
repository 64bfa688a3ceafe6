"""Which of NVIDIA's wheels the framework of an environment needs for a CUDA line, and why just these."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from trueup.facts.model import CudaFrom
from trueup.keep.cuda.use import HOOKED, check_driver, check_line, named, refuse
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.facts import Facts
    from trueup.facts.model import Build
    from trueup.machine.inventory.model import Environment, FrameworkBuild, Survey

TOOLKIT: Final = "cuda-toolkit"  # NVIDIA's own list of what belongs to a release, as a wheel without files
# wheel without its line -> what cuda-toolkit calls it
EXTRAS: Final = {
    "nvidia-cuda-runtime": "cudart",
    "nvidia-cublas": "cublas",
    "nvidia-cufft": "cufft",
    "nvidia-curand": "curand",
    "nvidia-cusolver": "cusolver",
    "nvidia-cusparse": "cusparse",
    "nvidia-cuda-nvrtc": "nvrtc",
    "nvidia-cuda-nvcc": "nvcc",
    "nvidia-cuda-cupti": "cupti",
    "nvidia-nvjitlink": "nvjitlink",
    "nvidia-nvtx": "nvtx",
}
# what others of the list load, or ask for without a version; from and before which line. Read from wheels, 2026-11-30.
ALSO: Final = {
    "cudart": ("0", "99"),
    "cublas": ("0", "99"),
    "nvjitlink": ("12.0", "99"),
    "nvrtc": ("12.8", "13.0"),
}
SYSTEMS: Final = {
    "windows": ("win32", "Windows", "nt", "AMD64"),
    "linux": ("linux", "Linux", "posix", "x86_64"),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """`requirements` and `constraints` are what the resolver is asked; `why` says where they come from.

    `others`: lines that may be asked for where this one cannot be resolved.
    """

    line: str
    requirements: tuple[str, ...]
    constraints: tuple[str, ...]
    why: tuple[Message, ...]
    notes: tuple[Message, ...]
    hook: bool
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What one installed build asks NVIDIA's wheels for. `hard`: its own metadata does, whoever installed it."""

    build: FrameworkBuild
    row: Build
    rules: tuple[Requirement, ...]
    hard: bool

    @property
    def pinned(self) -> str | None:
        """Return the line that its rules fix, "12.4"; None where they leave it open."""
        for rule in self.rules:
            if base(rule.name) == "nvidia-cuda-runtime" and (version := exact(rule)):
                return ".".join(version.split(".")[:2])
        return None

    newest: str | None

    @property
    def own_line(self) -> str:
        """Return the line that is known to serve: what it pins, else the newest of its major, as pip would take."""
        listed = any(rule.name == TOOLKIT for rule in self.rules)
        return self.pinned or (None if listed else self.newest) or str(self.row.cuda)


def base(name: str) -> str:
    """Return the name of a wheel without its line: nvidia-cublas of nvidia-cublas-cu12."""
    return re.sub(r"-cu\d+$", "", canonicalize_name(name))


def exact(rule: Requirement) -> str | None:
    versions = [one.version for one in rule.specifier if one.operator == "==" and "*" not in one.version]
    return versions[0] if versions else None


def wanted(facts: Facts, survey: Survey, environment: Environment, line: str) -> Wanted:
    """Return what to install for a line. Raises TrueupError with the way out where the framework cannot take it."""
    if environment.kind == "installed":
        raise refuse("for-all", "own", env=environment.path)
    asked = tuple(asks(facts, survey, environment))
    notes: tuple[Message, ...] = ()
    for one in asked:
        check_line(one.build, line, str(one.row.cuda), one.own_line, environment.path)
        notes = check_driver(facts, survey, line, one.build)
    _check_cards(facts, survey, line)
    rules, constraints = _rules(facts, asked, line)
    kept = _known_set(asked, line)
    why = tuple(_why(one, line, kept=kept) for one in asked)
    hooked = any(one.build.framework in HOOKED for one in asked)
    fit = tuple(one for one in fitting(facts, asked, line) if one != line)
    return Wanted(line, rules, constraints, why, notes, hooked, fit)


def own_line(facts: Facts, survey: Survey, environment: Environment) -> str | None:
    """Return the line that the framework of an environment was made for, as wheels; None where none can be had."""
    from trueup.values import TrueupError  # noqa: PLC0415  # a question, not a command: no refusal

    try:
        return next(iter(asks(facts, survey, environment))).own_line
    except TrueupError:
        return None


def asks(facts: Facts, survey: Survey, environment: Environment) -> Iterator[Asked]:
    """Yield what each build asks for that looks for CUDA outside itself; of the others only where there is none."""
    builds = [one for one in environment.builds if isinstance(one.cuda, str)]
    builds = [one for one in builds if one.framework in HOOKED] or builds
    if not builds:
        raise refuse("no-cuda-build", env=environment.path)
    for build in builds:
        row = row_of(facts, survey, build)
        if row is None:
            raise refuse("not-in-tables", framework=named(build))
        if row.cuda_from is CudaFrom.BUNDLED:
            raise refuse("bundled", "bundled", framework=named(build), cuda=str(build.cuda))
        if row.cuda_from is CudaFrom.SYSTEM:
            raise refuse("no-wheels-at-all", framework=named(build), cuda=str(row.cuda))
        yield _asked(facts, survey, environment, build, row)


def row_of(facts: Facts, survey: Survey, build: FrameworkBuild) -> Build | None:
    """Return what is known of the very build that is installed."""
    system = "windows" if survey.machine.os == "windows" else "linux"
    arch = survey.machine.arch if isinstance(survey.machine.arch, str) else "x86_64"
    arch = "aarch64" if arch == "arm64" else arch
    rows = [
        row
        for row in facts.builds(build.framework)
        if (row.version, row.platform, row.arch) == (build.version.partition("+")[0], system, arch)
        and row.cuda is not None
        and f"{row.cuda}.".startswith(f"{build.cuda}.")
    ]
    local = build.version.partition("+")[2]
    rows.sort(key=lambda row: (row.package != build.package, bool(row.index) != bool(local)))
    return rows[0] if rows else None


def _asked(
    facts: Facts, survey: Survey, environment: Environment, build: FrameworkBuild, row: Build
) -> Asked:
    added = row.cuda_from is CudaFrom.ADDED
    own = () if added else build.requires
    extras = {*Requirement(row.requirements[0]).extras, "with-cuda", "with_cuda"}
    rules = [
        *_applying(own, survey, environment, extras),
        *_applying(row.requirements, survey, environment, set()),
    ]
    if not rules:
        raise refuse("asks-nothing", "own", framework=named(build), env=environment.path)
    hard = any(exact(rule) for rule in _applying(own, survey, environment, set()))
    newest = next(reversed(toolkit_lines(facts, str(row.cuda).partition(".")[0])), None)
    return Asked(build, row, tuple(rules), hard, newest)


def _applying(
    texts: Iterable[str], survey: Survey, environment: Environment, extras: set[str]
) -> Iterator[Requirement]:
    """Yield the rules about NVIDIA's wheels that hold in the environment, without their conditions."""
    system = SYSTEMS["windows" if survey.machine.os == "windows" else "linux"]
    there = {
        "sys_platform": system[0],
        "platform_system": system[1],
        "os_name": system[2],
        "platform_machine": survey.machine.arch if survey.machine.arch == "aarch64" else system[3],
        "python_version": ".".join(environment.python.version.split(".")[:2]),
        "python_full_version": environment.python.version,
    }
    for text in texts:
        rule = Requirement(text)
        if not canonicalize_name(rule.name).startswith(("nvidia-", TOOLKIT)):
            continue
        marker = rule.marker
        if marker is None or any(marker.evaluate({**there, "extra": extra}) for extra in ("", *extras)):
            rule.marker = None
            yield rule


def _known_set(asked: tuple[Asked, ...], line: str) -> bool:
    """Tell whether the rules fix the wheels of this very line, so that they are taken as they are."""
    pinned = [one.pinned for one in asked if one.pinned]
    if pinned:
        return set(pinned) == {line}
    listed = all(any(rule.name == TOOLKIT for rule in one.rules) for one in asked)
    return listed and all(one.own_line == line for one in asked)


def _rules(facts: Facts, asked: tuple[Asked, ...], line: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return requirements and constraints."""
    rules = [rule for one in asked for rule in one.rules]
    if _known_set(asked, line):
        return _texts(rules), ()
    for one in asked:
        if one.hard and one.own_line != line:
            raise refuse("pinned", "pinned", framework=named(one.build), asked=line, cuda=one.own_line)
    _check_published(facts, asked, line)
    extras = {EXTRAS[base(rule.name)] for rule in rules if base(rule.name) in EXTRAS}
    extras |= {
        extra for extra, since in ALSO.items() if Version(since[0]) <= Version(line) < Version(since[1])
    }
    others = [rule for rule in rules if base(rule.name) not in EXTRAS and rule.name != TOOLKIT]
    ranges = [rule for rule in rules if base(rule.name) in EXTRAS and not exact(rule) and rule.specifier]
    toolkit = f"{TOOLKIT}[{','.join(sorted(extras))}]=={line}.*"
    return (toolkit, *_texts(others)), _texts(ranges)


def _texts(rules: Iterable[Requirement]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, rules)))


def _check_published(facts: Facts, asked: tuple[Asked, ...], line: str) -> None:
    if line not in toolkit_lines(facts, line.partition(".")[0]):
        fit = ", ".join(fitting(facts, asked, line))
        raise refuse("no-wheels", "lines" if fit else "way", asked=line, lines=fit)


def fitting(facts: Facts, asked: tuple[Asked, ...], line: str) -> tuple[str, ...]:
    """Return the lines of the same major that are not older than what the builds were made with."""
    least = max((Version(str(one.row.cuda)) for one in asked), default=Version("0"))
    return tuple(one for one in toolkit_lines(facts, line.partition(".")[0]) if Version(one) >= least)


def toolkit_lines(facts: Facts, major: str) -> tuple[str, ...]:
    """Return the lines of a major for which NVIDIA published a list of its wheels, oldest first."""
    files = facts.wheels(TOOLKIT)
    names = files[0] if files else ()
    found = {match[1] for name in names if (match := re.match(r"cuda_toolkit-(\d+\.\d+)\.", name))}
    return tuple(sorted((one for one in found if one.split(".")[0] == major), key=Version))


def _check_cards(facts: Facts, survey: Survey, line: str) -> None:
    """Refuse a line whose libraries hold nothing for any card here."""
    gpus = survey.machine.gpus
    if isinstance(gpus, Unknown):
        return
    told = [(gpu.name, gpu.capability) for gpu in gpus if isinstance(gpu.capability, str)]
    last = [(name, row.last_cuda) for name, cc in told if (row := facts.capability(cc)) is not None]
    if last and len(last) == len(told) and all(end and Version(end) < Version(line) for _, end in last):
        raise refuse("card", card=last[0][0], asked=line, last=str(last[0][1]))


def _why(one: Asked, line: str, *, kept: bool) -> Message:
    told = {
        "framework": named(one.build),
        "cuda": str(one.row.cuda),
        "cudnn": one.row.cudnn or "-",
        "line": line,
        "source": one.row.source.name,
    }
    return Message("cuda.why-set" if kept else "cuda.why-line", told)
