"""What an environment consists of, exactly enough to tell whether anybody added or edited anything since."""

from __future__ import annotations

import base64
import csv
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from trueup.setup import fingerprint, record
from trueup.setup.changes.blobs import sha256_of
from trueup.setup.files import long
from trueup.setup.model import EnvChange

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CACHED: Final = (".pyc", ".nbi", ".nbc")  # what Python and Numba write while an environment is used
HASHED_BYTES: Final = 1 << 22  # a bigger file that no package vouches for is told by size and time
EDITED_SHOWN: Final = 1000


class Row(NamedTuple):
    """What a RECORD says of a file: size in bytes, None where it says nothing, and `sha256=…` as written there.

    `vouches`: it can tell an edit. A RECORD says nothing of itself, and is held against its own digest elsewhere.
    """

    size: int | None
    digest: str
    vouches: bool


def tally(env: Path, at: int) -> dict[str, Any]:
    """Return what is there, as JSON.

    `packages`: name -> version and SHA-256 of its RECORD. `own`: file that no package vouches for -> what it holds.
    `edited`: files of packages that are not as their RECORD says.

    A file of a package that was not touched after `at` (ns since 1970) is told by its size; the others are read.
    """
    claims: dict[str, list[Row]] = {}
    for name, row in _rows(env):
        claims.setdefault(_key(name), []).append(row)
    own, edited = {}, []
    for name, entry in _files(env):
        rows = claims.pop(_key(name), ())
        if not any(row.vouches for row in rows):
            own[name] = _held(env / name)
        elif not any(_is_as_written(entry, row, at) for row in rows):
            edited.append(name)
    return {
        "packages": _packages(env),
        "own": own,
        "edited": sorted([*edited, *claims])[:EDITED_SHOWN],
    }


def fresh(env: Path) -> dict[str, Any]:
    """Return the `tally` of what uv just made of wheels, by its word: every file of a package is as its RECORD says.

    Of packages' own folders nothing is looked at, which is most of an environment; the next `tally` does that.
    """
    rows = dict(_rows(env, _is_outlying))
    vouched = {_key(name) for name, row in rows.items() if row.vouches}
    mute = {name for name, row in rows.items() if not row.vouches}
    missing = {name for name in mute if not os.path.lexists(long(env / name))}
    shown = (name for name, _ in _files(env, shallow=record.site_packages(env)))
    own = {name for name in shown if _key(name) not in vouched} | (mute - missing)
    return {
        "packages": _packages(env),
        "own": {name: _held(env / name) for name in sorted(own)},
        "edited": sorted(missing),
    }


def _packages(env: Path) -> dict[str, list[str]]:
    return {name: list(found) for name, found in fingerprint.distributions(env).items()}


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


def _rows(env: Path, wanted: Callable[[str], bool] | None = None) -> Iterator[tuple[str, Row]]:
    """Yield name and row of the lines that are `wanted`. Tens of thousands: no paths are made of their texts."""
    packages = record.site_packages(env)
    inside = os.path.relpath(packages, env) + os.sep
    for written in sorted(packages.glob("*.dist-info/RECORD")):
        with long(written).open(encoding="utf-8", errors="replace", newline="") as lines:
            for line in csv.reader(filter(wanted, lines) if wanted else lines):
                if line and not line[0].endswith(CACHED):
                    name = inside + line[0].replace("/", os.sep)
                    if ".." in name:
                        name = os.path.normpath(name)
                    digest, size = (*line[1:3], "", "")[:2]
                    vouches = bool(digest) or name.endswith(f"{os.sep}RECORD")
                    yield name, Row(int(size) if size.isdigit() else None, digest, vouches)


def _is_outlying(line: str) -> bool:
    """Tell whether a line of a RECORD is of a file outside the folders of packages, or of one without a digest."""
    return line.startswith(("../", '"')) or line.rstrip().endswith(",,") or "/" not in line.partition(",")[0]


def _files(env: Path, *, shallow: Path | None = None) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield name below `env` and entry of each file; `shallow` is a folder whose own folders are not entered."""
    folders = [(str(long(env)), "")]
    stop = None if shallow is None else os.path.relpath(shallow, env) + os.sep
    while folders:
        folder, inside = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if inside != stop:
                        folders.append((entry.path, f"{inside}{entry.name}{os.sep}"))
                elif (inside or entry.name not in fingerprint.IGNORED) and not entry.name.endswith(CACHED):
                    yield inside + entry.name, entry


def _held(path: Path) -> str:
    file = long(path)
    if file.is_symlink():
        return f"-> {file.readlink()}"
    found = file.lstat()
    if found.st_size > HASHED_BYTES:
        return f"{found.st_size} {found.st_mtime_ns}"
    return sha256_of(file)


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
    identity = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)
    digest = bytes.fromhex(_digest(entry.path, identity))
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == written


@cache
def _digest(path: str, identity: tuple[int, ...]) -> str:
    """Return the SHA-256; a command looks twice, to show and to undo, and reads what is as it was but once."""
    del identity
    return sha256_of(Path(path))
