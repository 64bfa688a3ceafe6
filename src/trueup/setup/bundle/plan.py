"""What goes into a bundle, known with every size before anything is fetched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from packaging.version import Version

from trueup.plan.request import LockRequest
from trueup.setup.bundle import own, python
from trueup.setup.bundle.manifest import Target, platform_of
from trueup.setup.errors import SetupError
from trueup.setup.fetching import Wanted
from trueup.setup.lockfile import read_lock
from trueup.setup.locking import lock as resolve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from trueup.fit.model import Alignment
    from trueup.plan.lock import Lock
    from trueup.setup.bundle.manifest import Archive
    from trueup.setup.bundle.python import Download
    from trueup.setup.uv import Uv

BUILDERS: Final = ("setuptools", "wheel")  # what a package that exists as source only is built with
PYTHON_MB: Final = 40  # an archive of python-build-standalone; its size is in no list. Read 2026-11-30


@dataclass(frozen=True, slots=True)
class Ask:
    """A machine's name, what was wished and what was decided for it."""

    name: str
    wish: tuple[str, ...]
    alignment: Alignment
    question: LockRequest


@dataclass(frozen=True, slots=True)
class Plan:
    """`files` are to be fetched, by the folder of the bundle; `locks` by the id of their question."""

    targets: tuple[Target, ...]
    locks: dict[str, Lock]
    files: dict[str, tuple[Wanted, ...]]
    pythons: tuple[Download, ...]
    given: tuple[tuple[Path, Archive], ...]
    lacking: tuple[str, ...]  # Pythons that uv knows no archive of, such as "3.6 windows"

    @property
    def bytes(self) -> int | None:
        """Return what is to be fetched; None where an index does not say the size of a file."""
        sizes = [file.size for files in self.files.values() for file in files]
        known = [size for size in sizes if size is not None]
        return sum(known) + len(self.pythons) * PYTHON_MB * 1_000_000 if len(known) == len(sizes) else None


class Resolver:
    """Resolves each question once; `kept` holds locks of an earlier, interrupted run."""

    def __init__(self, uv: Uv, kept: Path, on_question: Callable[[LockRequest], None]) -> None:
        self._uv, self._kept, self._on_question = uv, kept, on_question
        self.locks: dict[str, Lock] = {}

    def lock(self, question: LockRequest) -> Lock:
        found = self.locks.get(question.id) or self._read(question)
        if found is None:
            self._on_question(question)
            found = resolve(question, uv=self._uv)
        self.locks[question.id] = found
        return found

    def _read(self, question: LockRequest) -> Lock | None:
        try:
            return read_lock((self._kept / f"{question.id}.toml").read_text("utf-8"), question)
        except (OSError, SetupError):
            return None


def plan(
    asks: Sequence[Ask], uv: Uv, *, resolver: Resolver, pythons: bool, given: Sequence[Path] = ()
) -> Plan:
    """Return the plan. Asks the index for metadata, and writes nothing. Raises SetupError, BundleError."""
    files: dict[str, dict[str, Wanted]] = {"wheels": {}}
    for ask in asks:
        made = resolver.lock(ask.question)
        _add(files, "wheels", made)
        if any(not p.artifact.filename.endswith(".whl") for p in made.packages):
            _add(
                files,
                f"build/{ask.question.python}-{platform_of(ask.question)}",
                resolver.lock(_builders(ask.question)),
            )
    for platform, question in _tools(asks).items():
        made = resolver.lock(question)
        own.check_any_python(made)
        _add(files, f"tools/{platform}", made)
    brought = tuple((path, python.given(path)) for path in given)
    downloads, lacking = (
        _pythons(asks, uv, {_kind(archive) for _, archive in brought}) if pythons else ([], [])
    )
    return Plan(
        targets=tuple(_target(ask) for ask in asks),
        locks=resolver.locks,
        files={folder: tuple(inside.values()) for folder, inside in files.items()},
        pythons=tuple(downloads),
        given=brought,
        lacking=tuple(lacking),
    )


def _add(files: dict[str, dict[str, Wanted]], folder: str, lock: Lock) -> None:
    inside = files.setdefault(folder, {})
    for package in lock.packages:
        file = package.artifact
        before = inside.setdefault(file.filename, Wanted(file.filename, file.url, file.sha256, file.size))
        if before.sha256 != file.sha256:  # two indexes, two files of one name: one of them would be lost
            raise SetupError("bad-lock", what=file.filename, quote=f"{before.url}\n{file.url}")


def _builders(question: LockRequest) -> LockRequest:
    return LockRequest(
        python=question.python,
        platform=question.platform,
        arch=question.arch,
        glibc_minor=question.glibc_minor,
        requirements=BUILDERS,
        constraints=(),
        sdists=(),
    )


def _tools(asks: Iterable[Ask]) -> dict[str, LockRequest]:
    glibc: dict[tuple[str, str], int | None] = {}
    for ask in asks:
        q = ask.question
        before = glibc.get((q.platform, q.arch), q.glibc_minor)
        glibc[q.platform, q.arch] = min(before or 0, q.glibc_minor or 0) or None
    return {f"{p}-{arch}": own.question(p, arch, minor) for (p, arch), minor in glibc.items()}


def _pythons(
    asks: Iterable[Ask], uv: Uv, have: set[tuple[str, str, str]]
) -> tuple[list[Download], list[str]]:
    """Choose an archive for each environment, and one for trueup where those are too old for it."""
    wanted: dict[tuple[str, str, str], None] = {}
    for ask in asks:
        q = ask.question
        wanted[q.python, q.platform, q.arch] = None
        if Version(q.python) < Version(own.OLDEST_PYTHON):
            wanted[python.FOR_TRUEUP, q.platform, q.arch] = None
    asked = [kind for kind in wanted if kind not in have]
    found = python.available(uv, asked)
    known = {_kind(download.archive) for download in found}
    return found, [
        f"{series} {platform}" for series, platform, arch in asked if (series, platform, arch) not in known
    ]


def _kind(archive: Archive) -> tuple[str, str, str]:
    return archive.series, archive.platform, archive.arch


def _target(ask: Ask) -> Target:
    chosen = ask.alignment
    return Target(
        name=ask.name,
        route=chosen.route,
        wish=ask.wish,
        builds=tuple((build.framework, build.version) for build in chosen.builds),
        packages=chosen.packages,
        question=ask.question,
        lock=f"locks/{ask.name}/pylock.toml",
        served=chosen.served,
    )
