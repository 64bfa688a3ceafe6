"""A bundle that came as one ZIP: looked through before a byte is written, then unpacked into a cache."""

from __future__ import annotations

import shutil
import stat
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from trueup.setup.bundle import names, sums
from trueup.setup.bundle.errors import BundleError
from trueup.setup.files import remove_tree

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_FILES: Final = 20_000
SPARE: Final = 100_000_000
BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)


@contextmanager
def unpacked(archive: Path, cache: Path) -> Iterator[Path]:
    """Yield the folder of an unpacked bundle; it is gone afterwards, also when the body failed."""
    folder = cache / f"bundle-{sums.digest(archive)[:16]}"
    try:
        _unpack(archive, folder)
        yield folder
    finally:
        remove_tree(folder)


def _unpack(archive: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(archive) as source:
            members = _members(source)
            _check_room(members, folder.parent)
            remove_tree(folder)
            for name, member in members.items():
                _extract(source, member, folder / name)
    except BROKEN as error:
        raise BundleError("bad-zip", path=str(archive), what=str(error)[:80]) from error


def _members(source: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """Return the files by their name in the bundle, without the one folder that may hold them all."""
    pairs = [
        (info.orig_filename.replace("\\", "/"), info) for info in source.infolist()
    ]  # as older Windows writes
    pairs = [(name, info) for name, info in pairs if not name.endswith("/")]
    if len(pairs) > MOST_FILES:
        raise BundleError("bad-zip", path=str(source.filename), what=f"{len(pairs)} files")
    for name, info in pairs:
        if stat.S_IFMT(info.external_attr >> 16) not in {0, stat.S_IFREG}:
            raise BundleError("not-a-file", name=ascii(name)[1:-1])
    all_names = [name for name, _ in pairs]
    if len(set(all_names)) != len(all_names):
        twice = next(name for name in all_names if all_names.count(name) > 1)
        raise BundleError("same-name", name=ascii(twice)[1:-1], other=ascii(twice)[1:-1])
    names.check_all(all_names)
    top = _top(all_names)
    if top + sums.NAME not in all_names:
        raise BundleError("no-bundle", path=str(source.filename))
    return {name.removeprefix(top): info for name, info in pairs}


def _top(all_names: list[str]) -> str:
    tops = {name.partition("/")[0] for name in all_names}
    return f"{tops.pop()}/" if sums.NAME not in all_names and len(tops) == 1 else ""


def _check_room(members: dict[str, zipfile.ZipInfo], cache: Path) -> None:
    cache.mkdir(parents=True, exist_ok=True)
    need = sum(info.file_size for info in members.values()) + SPARE
    free = shutil.disk_usage(cache).free
    if free < need:
        raise BundleError("no-room", path=str(cache), need_mb=need // 1_000_000, free_mb=free // 1_000_000)


def _extract(source: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    """Write no more than the archive announced: what unpacks to more is a trap."""
    target.parent.mkdir(parents=True, exist_ok=True)
    left = member.file_size
    with source.open(member) as packed, target.open("xb") as file:
        while piece := packed.read(min(1 << 20, left + 1)):
            left -= len(piece)
            if left < 0:
                raise BundleError("bad-zip", path=str(source.filename), what=member.filename)
            file.write(piece)
