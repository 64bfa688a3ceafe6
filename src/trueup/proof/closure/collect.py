"""Which binaries a set holds: an environment, wheels, or the mere names of a wheel's members."""

from __future__ import annotations

import os
import re
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from trueup.facts.harvest.wheel import installed, open_wheel
from trueup.proof.closure.model import File

if TYPE_CHECKING:
    from collections.abc import Iterable

BINARY = re.compile(r".*\.(dll|pyd|exe|so(\.\d+)*)", re.IGNORECASE)
NO_BINARIES = frozenset({"include", "__pycache__", "nvvm", "share"})
IN_MEMORY = 32 << 20


def environment(site_packages: Path) -> tuple[File, ...]:
    r"""Return the binaries below a `site-packages`.

    On Windows also those beside the interpreter: `<prefix>\*.dll` and `<prefix>\Scripts\*.dll`.
    """
    found = list(_below(site_packages, site_packages))
    prefix = site_packages.parent.parent
    if site_packages.parent.name.lower() == "lib" and site_packages.name.lower() == "site-packages":
        for folder in (prefix, prefix / "Scripts"):
            found += [f for f in _files(folder, prefix) if f.base.lower().endswith(".dll")]
    return tuple(found)


def _below(folder: Path, root: Path) -> Iterable[File]:
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in NO_BINARIES)
        for name in sorted(names):
            if BINARY.fullmatch(name):
                yield _file(Path(parent, name), root)


def _files(folder: Path, root: Path) -> Iterable[File]:
    entries = sorted(folder.iterdir()) if folder.is_dir() else []
    return (_file(path, root) for path in entries if BINARY.fullmatch(path.name))


def _file(path: Path, root: Path) -> File:
    try:
        size = path.stat().st_size
    except OSError:
        size = None
    return File(path.relative_to(root).as_posix(), size, partial(_opened, path))


def _opened(path: Path) -> BinaryIO:
    return path.open("rb")


def wheels(paths: Iterable[Path]) -> tuple[File, ...]:
    """Return the binaries of downloaded wheels; one is unpacked when it is opened."""
    found: list[File] = []
    for path in paths:
        with open_wheel(path.open("rb"), path.name, None) as wheel:
            members = [m for m in wheel.members if BINARY.fullmatch(m.name)]
        found += [File(installed(m.name), m.size, partial(_unpacked, path, m.name)) for m in members]
    return tuple(found)


def _unpacked(path: Path, member: str) -> BinaryIO:
    file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  # the reader closes it
    with open_wheel(path.open("rb"), path.name, None, whole=False) as wheel:
        for chunk in wheel.chunks(member):
            file.write(chunk)
    file.seek(0)
    return cast("BinaryIO", file)


def names(members: Iterable[str]) -> tuple[File, ...]:
    """Return the binaries among names as a wheel's zip directory lists them; none is opened."""
    return tuple(File(installed(m)) for m in members if BINARY.fullmatch(m))
