"""Copies a cuDNN into a toolkit: what is there of another release goes aside, and all of it can be taken back."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from trueup.facts.binary import BadBinary, Pe
from trueup.keep.cuda import archive as archives
from trueup.keep.cuda.model import three
from trueup.keep.cuda.toolkit import ALL_PARTS, folders, library_of, read_toolkit
from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_list, quiet_real
from trueup.setup.changes.blobs import sha256_of
from trueup.setup.changes.files import NEW_FILE, move_change
from trueup.setup.changes.model import Change
from trueup.setup.changes.retention import STAGING
from trueup.setup.changes.whole import whole
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts import Facts
    from trueup.keep.cuda.archive import Archive, Member
    from trueup.keep.cuda.toolkit import Toolkit
    from trueup.machine.host import Host
    from trueup.setup.changes import Store
    from trueup.values import Param

ASIDE: Final = "cudnn-moved-aside"
SPARE: Final = 200 << 20  # bytes that stay free


@dataclass(frozen=True, slots=True)
class Addition:
    """What a copy would do. `aside` are files of the toolkit that make room; `notes` what should be known before."""

    archive: Archive
    toolkit: Toolkit
    aside: tuple[Path, ...]
    notes: tuple[Message, ...]

    @property
    def root(self) -> Path:
        return Path(self.toolkit.root)

    def place(self, member: Member) -> Path:
        return self.root.joinpath(*PurePosixPath(member.target).parts)


def prepare(host: Host, facts: Facts, path: Path, root: Path) -> Addition:
    """Look at both and return what would be done. Raises TrueupError where they do not go together."""
    toolkit = read_toolkit(host, str(root))
    if toolkit is None:
        raise TrueupError(
            Message("cuda.not-a-folder", {"path": str(root)}), Message("cuda.not-a-folder-hint")
        )
    found = archives.inspect(path)
    _check_fit(host, found, toolkit)
    addition = Addition(found, toolkit, (), tuple(_notes(facts, found, toolkit)))
    return Addition(found, toolkit, tuple(_in_the_way(host, addition)), addition.notes)


def _check_fit(host: Host, found: Archive, toolkit: Toolkit) -> None:
    what: dict[str, Param] = {"version": found.version, "line": found.cuda, "root": toolkit.root}
    if found.system != ("windows" if host.platform == "windows" else "linux"):
        raise archives.refuse("other-system", path=str(found.path), system=found.system)
    if isinstance(toolkit.version, Unknown):
        raise TrueupError(Message("cuda.add-unknown-toolkit", what), Message("cuda.not-a-folder-hint"))
    if toolkit.version.split(".")[0] != found.cuda:
        told = Message("cuda.add-other-line", {**what, "cuda": toolkit.version})
        raise TrueupError(told, Message("cuda.add-other-line-hint", {"cuda": toolkit.version.split(".")[0]}))


def _notes(facts: Facts, found: Archive, toolkit: Toolkit) -> Iterator[Message]:
    cuda = str(toolkit.version)
    if facts.cudnn(found.version, ".".join(cuda.split(".")[:2])) is None:
        yield Message("cuda.add-not-in-table", {"version": found.version, "cuda": cuda})
    if found.version.split(".")[0] == "9" and cuda.startswith("11."):
        yield Message(
            "cuda.found-cudnn-9-on-11", {"root": toolkit.root, "found": found.version, "cuda": cuda}
        )


def _in_the_way(host: Host, addition: Addition) -> Iterator[Path]:
    """Return what would be overwritten, and the rest of the same line's old cuDNN: nothing of it may stay mixed."""
    targets = {os.path.normcase(addition.place(member)) for member in addition.archive.members}
    for member in addition.archive.members:
        place = addition.place(member)
        if os.path.lexists(place):
            yield place
    places = reversed(folders(host, addition.toolkit.root))
    once = {quiet_real(host, folder): folder for folder in places}  # lib64 may be a link to lib
    for folder in once.values():
        for path in _others(host, folder, addition.archive.version):
            if os.path.normcase(path) not in targets:
                yield path


def _others(host: Host, folder: str, version: str) -> Iterator[Path]:
    """Yield each file of another release of the same line, under every name that it has."""
    line = version.split(".", maxsplit=1)[0]
    for name in quiet_list(host, folder):
        path = str(path_of(host).join(folder, name))
        found = library_of(host, path, name)
        ours = found is not None and found.stem in ALL_PARTS and str(found.line) == line
        if found is not None and ours and not _same_release(found.version, version):
            yield Path(path)


def _same_release(version: str | Unknown, other: str) -> bool:
    return isinstance(version, str) and three(version) == three(other)


def writable(root: Path) -> bool:
    """Tell by trying: Windows' own answer does not count what an administrator's consent adds."""
    try:
        with tempfile.TemporaryFile(dir=root):
            return True
    except OSError:
        return False


def elevated(path: Path, root: Path) -> str:
    """Return the one line that does it with an administrator's rights."""
    if sys.platform == "win32":
        words = ("-m", "trueup", "cuda", "add-cudnn", str(path), "--to", str(root), "--yes")
        quoted = ",".join("'" + f'"{word}"'.replace("'", "''") + "'" for word in words)
        program = sys.executable.replace("'", "''")
        return f"Start-Process -Verb RunAs -Wait -FilePath '{program}' -ArgumentList {quoted}"
    import shlex  # noqa: PLC0415

    return "sudo " + shlex.join(
        [sys.executable, "-m", "trueup", "cuda", "add-cudnn", str(path), "--to", str(root), "--yes"]
    )


def apply(addition: Addition, store: Store, stamp: str) -> int:
    """Copy and return how many things were changed. All files are unpacked and checked before the first change."""
    _check_room(addition, store)
    fresh: set[str] = set()
    try:
        contents = dict(_staged(addition, store, fresh))
        with whole(store, f"cuda add-cudnn {addition.archive.path.name}") as transaction:
            made = 0
            for change in _changes(addition, contents, stamp):
                transaction.apply(change)
                made += 1
        return made
    finally:
        for name in fresh:  # the copies are in the toolkit; taking back needs only what was there before
            with suppress(OSError):
                (store.blobs.folder / name).unlink()


def _check_room(addition: Addition, store: Store) -> None:
    store.folder.mkdir(parents=True, exist_ok=True)
    for folder in (addition.root, store.folder):
        need = addition.archive.size * (1 if folder == addition.root else 2) + SPARE
        free = shutil.disk_usage(folder).free
        if free < need:
            params: dict[str, Param] = {
                "path": str(folder),
                "need": f"{need / 1e9:.1f}",
                "free": f"{free / 1e9:.1f}",
            }
            raise TrueupError(Message("cuda.add-no-room", params), Message("cuda.add-no-room-hint"))


def _staged(addition: Addition, store: Store, fresh: set[str]) -> Iterator[tuple[str, str]]:
    """Unpack each file beside the journal, check it, and yield target -> SHA-256 of its content."""
    targets = {m.name: m for m in addition.archive.members if not m.link}
    found: set[str] = set()
    store.blobs.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=store.folder, prefix=STAGING) as folder:
        path = Path(folder, "file")
        for name, file in archives.walk(addition.archive.path, frozenset(targets)):
            size = 0
            with path.open("wb") as out:
                while piece := archives.piece_of(addition.archive.path, file):
                    size += len(piece)
                    if size > targets[name].size:
                        raise archives.refuse("bomb", path=str(addition.archive.path))
                    out.write(piece)
            _check_file(addition.archive, name, path)
            known = sha256_of(path)
            if not (store.blobs.folder / known).exists():
                fresh.add(known)
                store.blobs.put_file(path)
            found.add(name)
            yield targets[name].target, known
    if found != set(targets):
        raise archives.refuse("damaged", path=str(addition.archive.path), text=", ".join({*targets} - found))


def _check_file(archive: Archive, name: str, path: Path) -> None:
    """Compare each DLL with the release of the whole: a repacked archive may hold two."""
    if not name.lower().endswith(".dll"):
        return
    try:
        with path.open("rb") as file:
            pe = Pe(file)
            machine, version = pe.machine, pe.file_version()
    except BadBinary as error:
        raise archives.refuse("not-a-library", path=str(archive.path), name=name) from error
    if machine != "x86_64":
        raise archives.refuse("x86", path=str(archive.path), name=name, machine=machine)
    old = version is None or version.startswith(("0.", "6.14."))
    if not old and not _same_release(version or "", archive.version):
        names = f"{name} {version}, {archive.version}"
        raise archives.refuse("versions-differ", path=str(archive.path), names=names)


def _changes(addition: Addition, contents: dict[str, str], stamp: str) -> Iterator[Change]:
    """Yield the moves, then the copies; what is the same already is left where it is."""
    alike = {
        place
        for member in addition.archive.members
        if (place := addition.place(member)) and _is(place, member, contents.get(member.target))
    }
    for path in addition.aside:
        if path not in alike:
            yield move_change(path, addition.root / ASIDE / stamp / path.relative_to(addition.root))
    for member in addition.archive.members:
        place = addition.place(member)
        if place in alike:
            continue
        if member.link:
            yield Change("link", {"path": str(place)}, {"link": member.link})
        else:
            yield Change("file", {"path": str(place)}, {"sha256": contents[member.target], "mode": NEW_FILE})


def _is(path: Path, member: Member, known: str | None) -> bool:
    """Tell whether a place holds what would be copied there."""
    if member.link or path.is_symlink():
        return path.is_symlink() and str(path.readlink()) == member.link
    return path.is_file() and sha256_of(path) == known
