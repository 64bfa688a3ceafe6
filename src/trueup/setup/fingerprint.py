"""What an environment consists of, small enough to keep and fast enough to look at on every start."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from trueup.setup.files import long
from trueup.setup.hook import CHOSEN
from trueup.setup.model import EnvChange
from trueup.setup.record import NAME, site_packages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

DIST_INFO: Final = re.compile(r"(?P<name>.+?)-(?P<version>[^-]+)\.dist-info")
# Headers are most of a framework's files, run nowhere and are edited by nobody: a folder of them counts as one file.
HEADERS: Final = "include"
BRINGING: Final = "trueup-cuda-new"  # wheels on their way in, and what they replaced
REPLACED: Final = "trueup-cuda-aside"
# Written by Python and by tools while an environment is used.
IGNORED: Final = frozenset(
    {"__pycache__", ".lock", NAME, NAME + ".new", CHOSEN, BRINGING, REPLACED, "CACHEDIR.TAG", ".gitignore"}
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """`distributions`: name -> version and SHA-256 of its RECORD. `tree`: entry -> files and bytes in it.

    An entry is a name in site-packages, or a name at the top of the environment with a slash behind it.
    """

    distributions: Mapping[str, tuple[str, str]]
    tree: Mapping[str, tuple[int, int]]

    def json(self) -> dict[str, Any]:
        return {
            "distributions": {k: list(v) for k, v in self.distributions.items()},
            "tree": {k: list(v) for k, v in self.tree.items()},
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Fingerprint:
        return cls(
            {k: (v[0], v[1]) for k, v in value["distributions"].items()},
            {k: (v[0], v[1]) for k, v in value["tree"].items()},
        )


def take(env_dir: Path) -> Fingerprint:
    """Look at names and sizes, and at no content but that of the RECORDs."""
    packages = site_packages(env_dir)
    inside = {packages.relative_to(env_dir).parts[0], "lib64"}  # lib64 is a link to lib
    tree = dict(_entries(packages, "", set())) | dict(_entries(env_dir, "/", inside))
    return Fingerprint(dict(_distributions(packages, tree)), tree)


def distributions(env_dir: Path) -> dict[str, tuple[str, str]]:
    """Return name -> version and SHA-256 of its RECORD."""
    packages = site_packages(env_dir)
    names = [path.name for path in packages.iterdir()] if packages.is_dir() else []
    return dict(_distributions(packages, names))


def _distributions(packages: Path, names: Iterable[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    for entry in names:
        found = DIST_INFO.fullmatch(entry)
        if found:
            try:
                digest = hashlib.sha256((packages / entry / "RECORD").read_bytes()).hexdigest()
            except OSError:
                digest = ""
            yield found["name"], (found["version"], digest)


def _entries(folder: Path, mark: str, but: set[str]) -> Iterator[tuple[str, tuple[int, int]]]:
    try:
        with os.scandir(long(folder)) as entries:
            for entry in entries:
                if entry.name not in IGNORED and entry.name not in but:
                    yield entry.name + mark, _counted(entry)
    except FileNotFoundError:
        return


def _counted(entry: os.DirEntry[str]) -> tuple[int, int]:
    if not entry.is_dir(follow_symlinks=False):
        return 1, entry.stat(follow_symlinks=False).st_size
    files = size = 0
    folders = [entry.path]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for inner in entries:
                if inner.is_dir(follow_symlinks=False):
                    if inner.name == HEADERS:
                        files += 1
                    elif inner.name != "__pycache__":
                        folders.append(inner.path)
                elif not inner.name.endswith(".pyc"):
                    files += 1
                    size += inner.stat(follow_symlinks=False).st_size
    return files, size


def package_changes(
    before: Mapping[str, Sequence[str]], now: Mapping[str, Sequence[str]]
) -> Iterator[EnvChange]:
    """Yield what differs between two sets of packages: name -> version and whatever else tells them apart."""
    for name in sorted({*before, *now}):
        old, new = before.get(name), now.get(name)
        if old is None and new:
            yield EnvChange("added", name, after=new[0])
        elif old and new is None:
            yield EnvChange("removed", name, before=old[0])
        elif old and new and old != new:
            yield EnvChange("replaced", name, old[0], new[0])
