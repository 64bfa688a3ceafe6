"""What a build takes from a bundle instead of from the network: wheels, and a Python where the machine has none."""

from __future__ import annotations

import tarfile
import zipfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from trueup.setup import homes
from trueup.setup.bundle import names, sums
from trueup.setup.bundle.errors import BundleError
from trueup.setup.config import UV_INDEX_KEYS
from trueup.setup.files import long, move, remove_tree
from trueup.setup.local import local_text
from trueup.setup.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.plan.lock import Lock
    from trueup.setup.uv import Uv

INTERPRETERS: Final = ("python/python.exe", "tools/python.exe", "python.exe", "python/bin/python3")
MOST_BYTES: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Supply:
    """Folders of a checked bundle. `archive` is of the Python, None where the bundle has none."""

    wheels: Path
    build: Path
    archive: Path | None
    pythons: Path  # where Pythons of bundles are kept

    def quiet(self, uv: Uv) -> Uv:
        """Return a uv that knows no index: neither the network nor the user's settings have a say."""
        indexes = (*UV_INDEX_KEYS, "UV_INDEX_STRATEGY", "UV_CONFIG_FILE", "UV_OFFLINE")
        kept = {key: text for key, text in uv.env.items() if key not in indexes}
        return replace(uv, env={**kept, "UV_NO_CONFIG": "1", "UV_PYTHON_DOWNLOADS": "never"})

    @property
    def options(self) -> list[str]:
        builders = ["--find-links", str(self.build)] if self.build.is_dir() else []
        return ["--offline", "--no-index", *builders]

    @contextmanager
    def lock_file(self, lock: Lock) -> Iterator[Path]:
        """Yield a lock that names the files of the bundle."""
        with scratch() as folder:
            path = folder / "pylock.toml"
            files = {p.name: self.wheels / p.artifact.filename for p in lock.packages}
            path.write_text(local_text(lock, files), "utf-8")
            yield path

    def python(self) -> Path | None:
        """Return the interpreter of the bundle's Python, unpacked on first use; None where it has none."""
        if self.archive is None:
            return None
        home = self.pythons / f"{self.archive.name.partition('.tar')[0]}-{sums.digest(self.archive)[:12]}"
        if not home.exists():
            homes.sweep(self.pythons)
            fresh = home.with_name(home.name + homes.COMING)
            remove_tree(fresh)
            fresh.mkdir(parents=True)
            unpack(self.archive, fresh)
            move(fresh, home)
        return interpreter(home) or _refuse(self.archive, "python")


def interpreter(home: Path) -> Path | None:
    """Return the Python program in an unpacked archive."""
    return next((home / name for name in INTERPRETERS if (home / name).is_file()), None)


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a Python: a .tar.gz of python-build-standalone, or a .zip or .nupkg. Nothing lands outside `folder`."""
    try:
        if zipfile.is_zipfile(archive):
            _unzip(archive, folder)
        else:
            _untar(archive, folder)
    except (tarfile.TarError, zipfile.BadZipFile, EOFError, ValueError, OSError) as error:
        remove_tree(folder)
        raise BundleError("bad-archive", name=archive.name, what=str(error)[:80]) from error
    except BundleError:
        remove_tree(folder)
        raise


def _unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as source:
        if sum(info.file_size for info in source.infolist()) > MOST_BYTES:
            _refuse(archive, f"> {MOST_BYTES}")
        for info in source.infolist():
            if not info.is_dir():
                names.check_inside(info.filename)
                source.extract(info, long(folder))


def _untar(archive: Path, folder: Path) -> None:
    """Python 3.10 may lack tarfile's own filter: members and where links lead are looked at here."""
    with tarfile.open(archive) as source:
        members = source.getmembers()
        if sum(member.size for member in members) > MOST_BYTES:
            _refuse(archive, f"> {MOST_BYTES}")
        for member in members:
            _check_member(member, archive)
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            member.uid = member.gid = 0
            member.uname = member.gname = ""
        source.extractall(long(folder), members)  # noqa: S202  # each member was checked above


def _check_member(member: tarfile.TarInfo, archive: Path) -> None:
    names.check_inside(member.name)
    if not (member.isfile() or member.isdir() or member.issym() or member.islnk()):
        _refuse(archive, member.name)
    if member.issym() or member.islnk():
        base = PurePosixPath(member.name).parent if member.issym() else PurePosixPath()
        depth = len(base.parts)
        for part in PurePosixPath(member.linkname).parts:
            depth += -1 if part == ".." else 1
            if depth < 0 or part == "/":
                _refuse(archive, member.name)


def _refuse(archive: Path, what: str) -> Path:
    raise BundleError("bad-archive", name=archive.name, what=what)
