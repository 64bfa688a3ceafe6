"""SHA256SUMS: written when a bundle is made, and compared with the disk, file for file, before it is used."""

from __future__ import annotations

import hashlib
import os
import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

from trueup.setup.bundle import names
from trueup.setup.bundle.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

NAME: Final = "SHA256SUMS"
LINE: Final = re.compile(r"(?P<sum>[0-9a-f]{64})  (?P<name>.+)")
MOST_BYTES: Final = 4 << 20
WORKERS: Final = 4


def write(folder: Path, known: Mapping[str, str]) -> str:
    """Write the sums of all files and return that of the list itself. `known` saves reading what was just checked."""
    found = sorted(files(folder))
    names.check_all(found)
    sums = {name: known.get(name) or digest(folder / name) for name in found if name != NAME}
    text = "".join(f"{value}  {name}\n" for name, value in sums.items())
    (folder / NAME).write_bytes(text.encode())
    return hashlib.sha256(text.encode()).hexdigest()


def check(folder: Path, on_bytes: Callable[[int], None] = lambda _: None) -> dict[str, str]:
    """Return the sums by name where the folder holds just those files. Raises BundleError that names the first that differs."""
    sums = read(folder)
    there = set(files(folder)) - {NAME}
    for name in sorted(there ^ sums.keys()):
        raise BundleError("missing" if name in sums else "extra", name=name)
    with ThreadPoolExecutor(WORKERS) as pool:
        found = pool.map(lambda name: digest(folder / name, on_bytes), sums)
        for name, value in zip(sums, found, strict=True):
            if value != sums[name]:
                pool.shutdown(cancel_futures=True)
                raise BundleError("changed", name=name)
    return sums


def read(folder: Path) -> dict[str, str]:
    """Return the sums by name. Raises BundleError where the list is none, or names what no bundle may hold."""
    path = folder / NAME
    if path.is_symlink() or not path.is_file():
        raise BundleError("no-bundle", path=str(folder))
    raw = path.read_bytes()[: MOST_BYTES + 1]
    try:
        lines = raw.decode("utf-8").splitlines() if len(raw) <= MOST_BYTES else []
    except UnicodeDecodeError:
        lines = []
    matches = [LINE.fullmatch(line) for line in lines]
    sums = {match["name"]: match["sum"] for match in matches if match}
    if not lines or len(sums) != len(lines):
        raise BundleError("bad-sums", path=str(path))
    names.check_all([*sums, NAME])
    return sums


def files(folder: Path) -> Iterator[str]:
    """Yield the names of all files, with slashes. Raises BundleError `not-a-file` at a link or a device."""
    folders = [""]
    while folders:
        inside = folders.pop()
        with os.scandir(folder / inside) as entries:
            for entry in entries:
                name = inside + entry.name
                if entry.is_symlink() or _is_junction(entry):
                    raise BundleError("not-a-file", name=name)
                if entry.is_dir(follow_symlinks=False):
                    folders.append(name + "/")
                elif entry.is_file(follow_symlinks=False):
                    yield name
                else:
                    raise BundleError("not-a-file", name=name)


def _is_junction(entry: os.DirEntry[str]) -> bool:
    """Windows: a folder that is a mount point leads elsewhere, though it is no symbolic link."""
    reparse = getattr(entry.stat(follow_symlinks=False), "st_reparse_tag", 0)
    return bool(reparse == 0xA0000003)  # IO_REPARSE_TAG_MOUNT_POINT


def digest(path: Path, on_bytes: Callable[[int], None] = lambda _: None) -> str:
    """Return the SHA-256 of a file as hexadecimal text."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            total.update(piece)
            on_bytes(len(piece))
    return total.hexdigest()
