"""What an environment consists of, exactly enough to tell whether anybody added or edited anything since."""

from __future__ import annotations

import base64
import csv
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from trueup.setup import fingerprint, record
from trueup.setup.changes.blobs import sha256_of
from trueup.setup.files import long
from trueup.setup.model import EnvChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CACHED: Final = (".pyc", ".nbi", ".nbc")  # what Python and Numba write while an environment is used
HASHED_BYTES: Final = 1 << 22  # a bigger file that no package vouches for is told by size and time
EDITED_SHOWN: Final = 1000


class Row(NamedTuple):
    """What a RECORD says of a file: size in bytes, `sha256=…` as written there; None where it says nothing."""

    size: int | None
    digest: str


def tally(env: Path, at: int) -> dict[str, Any]:
    """Return what is there, as JSON.

    `packages`: name -> version and SHA-256 of its RECORD. `own`: file that no package vouches for -> what it holds.
    `edited`: files of packages that are not as their RECORD says.

    A file of a package that was not touched after `at` (ns since 1970) is told by its size; the others are read.
    """
    packages = record.site_packages(env)
    rows = dict(_rows(env, packages))
    own, edited = {}, []
    for name, entry in _files(env):
        row = rows.pop(_key(name), None)
        if row is None or (not row.digest and entry.name != "RECORD"):
            own[name] = _held(entry)
        elif not _is_as_written(entry, row, at):
            edited.append(name)
    edited += rows
    return {
        "packages": {name: list(found) for name, found in fingerprint.distributions(env).items()},
        "own": own,
        "edited": sorted(edited)[:EDITED_SHOWN],
    }


def since(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[EnvChange, ...]:
    """Return what is different between two tallies."""
    edited = [name for name in now["edited"] if name not in before["edited"]]
    return (
        *fingerprint.package_changes(before["packages"], now["packages"]),
        *_own(before["own"], now["own"]),
        *(EnvChange("files-edited", name) for name in edited),
    )


def _own(before: Mapping[str, str], now: Mapping[str, str]) -> Iterator[EnvChange]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield EnvChange(
                "files-missing"
                if name not in now
                else "files-added"
                if name not in before
                else "files-edited",
                name,
            )


def _key(name: str) -> str:
    return name.lower() if sys.platform == "win32" else name


def _rows(env: Path, packages: Path) -> Iterator[tuple[str, Row]]:
    """Tens of thousands: texts are cut and joined, no paths are made of them."""
    inside = os.path.relpath(packages, env) + os.sep
    for written in sorted(packages.glob("*.dist-info/RECORD")):
        with long(written).open(encoding="utf-8", errors="replace", newline="") as lines:
            for line in csv.reader(lines):
                if line and not line[0].endswith(CACHED):
                    name = inside + line[0].replace("/", os.sep)
                    if ".." in name:
                        name = os.path.normpath(name)
                    digest, size = (*line[1:3], "", "")[:2]
                    yield _key(name), Row(int(size) if size.isdigit() else None, digest)


def _files(env: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    folders = [(str(long(env)), "")]
    while folders:
        folder, inside = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{inside}{entry.name}{os.sep}"))
                elif (inside or entry.name not in fingerprint.IGNORED) and not entry.name.endswith(CACHED):
                    yield inside + entry.name, entry


def _held(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink():
        return f"-> {Path(entry.path).readlink()}"
    found = entry.stat(follow_symlinks=False)
    if found.st_size > HASHED_BYTES:
        return f"{found.st_size} {found.st_mtime_ns}"
    return sha256_of(Path(entry.path))


def _is_as_written(entry: os.DirEntry[str], row: Row, at: int) -> bool:
    found = entry.stat(follow_symlinks=False)
    if row.size is not None and found.st_size != row.size:
        return False
    # On POSIX no program can set the time of a file's last change; Windows' own is not told by `stat`.
    touched = found.st_mtime_ns if sys.platform == "win32" else max(found.st_mtime_ns, found.st_ctime_ns)
    if touched <= at or not row.digest:
        return True
    algorithm, _, written = row.digest.partition("=")
    if algorithm != "sha256":
        return False
    return (
        base64.urlsafe_b64encode(bytes.fromhex(sha256_of(Path(entry.path)))).rstrip(b"=").decode() == written
    )
