"""Looks at the folder of an environment and says what is there. Changes nothing."""

from __future__ import annotations

import csv
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from trueup.setup import fingerprint, journal, record
from trueup.setup.model import EnvChange, State
from trueup.setup.places import Places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.model import Alignment
    from trueup.plan.request import LockRequest
    from trueup.setup.fingerprint import Fingerprint
    from trueup.setup.model import ChangeKind, Environment, Record

BINARIES: Final = (".dll", ".exe", ".pyd", ".so")  # what virus scanners take away
MOST_FILES: Final = 20  # named of one entry; the rest is more of the same


@dataclass(frozen=True, slots=True)
class OwnedFile:
    """A line of a package's RECORD. `name` is as written there, `path` absolute, `size` in bytes."""

    owner: str
    name: str
    path: str
    size: int | None


def inspect(env_dir: Path) -> State:
    """Return what is in the folder; about 0.1 s for 30,000 files."""
    env_dir = Path(os.path.abspath(env_dir))  # noqa: PTH100  # resolve() would follow a link that the user made
    if not os.path.lexists(env_dir):
        building = (Places(env_dir).building / journal.NAME).is_file()
        return State("building" if building else "missing", env_dir)
    found = record.read(env_dir) if env_dir.is_dir() else None
    if found is None:
        return State("foreign", env_dir)
    environment = record.environment(env_dir, found)
    changes = tuple(_changes(environment))
    return State("changed" if changes else "complete", env_dir, environment, changes)


def answers(state: State, alignment: Alignment, question: LockRequest) -> bool:
    """Tell whether a finished environment is what would be built now.

    Newer facts may word the question anew, with a cap more or less: what counts is that the same packages
    are there, for the same route, and that every cap holds.
    """
    if state.environment is None:
        return False
    found = state.environment.record
    if (found.alignment.get("route"), found.python) != (alignment.route, alignment.python):
        return False
    if found.request_id == question.id:
        return True
    named = {(name, version) for name, version in found.alignment.get("packages", ())}
    return named == set(alignment.packages) and _meets(found, question)


def _meets(found: Record, question: LockRequest) -> bool:
    there = {canonicalize_name(n): Version(v) for n, (v, _) in found.fingerprint["distributions"].items()}
    wanted = [Requirement(text) for text in question.requirements]
    caps = [Requirement(text) for text in question.constraints]
    rules = [rule for rule in (*wanted, *caps) if rule.marker is None]
    return all(canonicalize_name(rule.name) in there for rule in wanted if rule.marker is None) and all(
        rule.specifier.contains(there[name], prereleases=True)
        for rule in rules
        if (name := canonicalize_name(rule.name)) in there
    )


def _changes(environment: Environment) -> Iterator[EnvChange]:
    if not _python_is_there(environment):
        yield EnvChange("python-gone", str(environment.python))
    before = fingerprint.Fingerprint.from_json(environment.record.fingerprint)
    now = fingerprint.take(environment.path)
    packages = list(fingerprint.package_changes(before.distributions, now.distributions))
    yield from packages
    named: set[str] = {canonicalize_name(change.what) for change in packages}
    differ = sorted(e for e in {*before.tree, *now.tree} if before.tree.get(e) != now.tree.get(e))
    if differ:
        yield from _files(environment.path, differ, before, now, named)


def _python_is_there(environment: Environment) -> bool:
    if not environment.python.exists():
        return False
    if sys.platform != "win32":
        return True
    lines = (environment.path / "pyvenv.cfg").read_text("utf-8", errors="replace").splitlines()
    homes = [line.partition("=")[2].strip() for line in lines if line.partition("=")[0].strip() == "home"]
    return all(Path(home, "python.exe").exists() for home in homes)


def _files(
    env_dir: Path, differ: list[str], before: Fingerprint, now: Fingerprint, named: set[str]
) -> Iterator[EnvChange]:
    """Name the files of unchanged packages that are gone or edited; what no package accounts for, by entry."""
    owned = _owned(env_dir, now)
    for entry in differ:
        files = owned.get(entry, [])
        owners = {file.owner for file in files}
        wrong = [change for file in files if file.owner not in named and (change := _wrong(file))]
        yield from wrong[:MOST_FILES]
        explained = bool(named) and (not owners or bool(owners & named))
        if not wrong and not explained:
            yield EnvChange(_kind(before.tree.get(entry), now.tree.get(entry)), entry.rstrip("/"))


def _kind(before: tuple[int, int] | None, now: tuple[int, int] | None) -> ChangeKind:
    old, new = before or (0, 0), now or (0, 0)
    return "files-missing" if new[0] < old[0] else "files-added" if new[0] > old[0] else "files-edited"


def _wrong(file: OwnedFile) -> EnvChange | None:
    try:
        size = Path(file.path).stat().st_size
    except OSError:
        return EnvChange("files-missing", file.name)
    if file.size is not None and size != file.size:
        return EnvChange("files-edited", file.name, f"{file.size}", f"{size}")
    return None


def _owned(env_dir: Path, now: Fingerprint) -> dict[str, list[OwnedFile]]:
    """Return entry -> the files that the packages there now say they have."""
    packages = record.site_packages(env_dir)
    owned: dict[str, list[OwnedFile]] = {}
    for entry in now.tree:
        found = fingerprint.DIST_INFO.fullmatch(entry)
        if found:
            owner = canonicalize_name(found["name"])
            for path, size in _recorded(packages / entry / "RECORD"):
                whole = os.path.normpath(packages / path)
                owned.setdefault(_entry(whole, packages, env_dir), []).append(
                    OwnedFile(owner, path, whole, size)
                )
    return owned


def vanished(env_dir: Path) -> list[str]:
    """Return the programs and libraries that the packages say they have and that are not there."""
    packages = record.site_packages(env_dir)
    rows = (row for info in packages.glob("*.dist-info/RECORD") for row, _ in _recorded(info))
    return [row for row in rows if row.lower().endswith(BINARIES) and not (packages / row).exists()]


def _recorded(path: Path) -> Iterator[tuple[str, int | None]]:
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            for row in csv.reader(lines):
                if row and not row[0].endswith(".pyc"):
                    yield row[0], int(row[2]) if len(row) > 2 and row[2].isdigit() else None
    except FileNotFoundError:
        return


def _entry(path: str, packages: Path, env_dir: Path) -> str:
    inside = os.path.relpath(path, packages)
    if not inside.startswith(".."):
        return inside.split(os.sep, 1)[0]
    return os.path.relpath(path, env_dir).split(os.sep, 1)[0] + "/"
