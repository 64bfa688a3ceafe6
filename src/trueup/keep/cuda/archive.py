"""NVIDIA's archives of cuDNN: a zip for Windows, a tar for Linux. Nothing is believed before it was looked at."""

from __future__ import annotations

import io
import re
import stat
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, Literal

from trueup.facts.binary import BadBinary, Pe
from trueup.machine.inventory.cuda import version_of_header
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO

    from trueup.values import Param

System = Literal["windows", "linux"]
ENTRIES_MOST: Final = 1000
BYTES_MOST: Final = 8 << 30
RATIO_MOST: Final = 400  # unpacked to packed; the largest DLL of cuDNN has about 2
SMALL: Final = 64 << 20  # what is read into memory
CHUNK: Final = 1 << 20
_NAME: Final = re.compile(
    r"cudnn-(?:(?P<old>\d+\.\d+)-)?(?:windows|linux)[^-]*-x(?:86_)?64-v?(?P<version>\d+(?:\.\d+){2,3})"
    r"(?:_cuda(?P<new>\d+))?",
    re.IGNORECASE,
)
_LIBRARY: Final = re.compile(r"(cudnn\w*64_\d+\.dll|libcudnn\w*(\.so(\.\d+)*|\.a))", re.IGNORECASE)
_OPS: Final = re.compile(
    r"(cudnn_ops(_infer)?64_\d+\.dll|libcudnn_ops(_infer)?\.so\.\d+\.[\d.]+)", re.IGNORECASE
)
_MAIN: Final = re.compile(r"cudnn64_\d+\.dll", re.IGNORECASE)
_CUBLAS: Final = re.compile(rb"(?:cublas(?:Lt)?64_(\d+)\.dll|libcublas(?:Lt)?\.so\.(\d+))")


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of an archive's table. `link`: where a symbolic link leads."""

    name: str
    size: int
    packed: int
    kind: Literal["file", "folder", "link", "other"]
    link: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """A file that goes into a toolkit; `target` is its place there, with `/`."""

    name: str
    target: str
    size: int
    link: str = ""


@dataclass(frozen=True, slots=True)
class Archive:
    """`cuda` is the major line that its libraries load, "11". `left_out`: what a toolkit does not get."""

    path: Path
    system: System
    version: str
    cuda: str
    members: tuple[Member, ...]
    left_out: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members)


def refuse(code: str, **params: Param) -> TrueupError:
    return TrueupError(Message(f"cuda.archive-{code}", params), Message("cuda.archive-hint"))


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what readers of archives raise into a refusal."""
    try:
        yield
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        EOFError,
        ValueError,
        NotImplementedError,
    ) as error:
        first = next(iter(str(error).splitlines()), type(error).__name__).rstrip(":")
        raise refuse("damaged", path=str(path), text=first) from error
    except RuntimeError as error:  # zipfile: a password is asked for
        raise refuse("damaged", path=str(path), text=str(error)) from error
    except OSError as error:
        raise refuse("unreadable", path=str(path), text=error.strerror or str(error)) from error


def entries(path: Path) -> list[Entry]:
    """Return the table of an archive. Raises TrueupError where it is none, or too much."""
    with reading(path):
        found = list(_zip_entries(path) if zipfile.is_zipfile(path) else _tar_entries(path))
    if sum(entry.size for entry in found) > BYTES_MOST or any(
        entry.size > SMALL and entry.size > RATIO_MOST * max(entry.packed, 1) for entry in found
    ):
        raise refuse("bomb", path=str(path))
    return found


def _zip_entries(path: Path) -> Iterator[Entry]:
    with zipfile.ZipFile(path) as opened:
        rows = opened.infolist()
        if len(rows) > ENTRIES_MOST:
            raise refuse("bomb", path=str(path))
        for row in rows:
            link = stat.S_ISLNK(row.external_attr >> 16)
            kind: Literal["file", "folder", "link"] = "link" if link else "folder" if row.is_dir() else "file"
            yield Entry(row.orig_filename, row.file_size, row.compress_size, kind)


def _tar_entries(path: Path) -> Iterator[Entry]:
    with tarfile.open(path) as opened:
        total = 0
        for count, row in enumerate(opened):
            total += row.size
            if count > ENTRIES_MOST or total > BYTES_MOST:
                raise refuse("bomb", path=str(path))
            kind: Literal["file", "folder", "link", "other"]
            kind = "file" if row.isfile() else "folder" if row.isdir() else "link" if row.issym() else "other"
            yield Entry(row.name, row.size, row.size, kind, row.linkname if row.issym() else "")


def walk(path: Path, wanted: frozenset[str]) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield the wanted files in the archive's order, each to be read at once."""
    with reading(path):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as packed:
                for row in packed.infolist():
                    if row.orig_filename in wanted:
                        with packed.open(row) as file:
                            yield row.orig_filename, file
            return
        with tarfile.open(path) as opened:
            for member in opened:
                inner = opened.extractfile(member) if member.name in wanted and member.isfile() else None
                if inner is not None:
                    yield member.name, inner


def piece_of(path: Path, file: IO[bytes], size: int = CHUNK) -> bytes:
    """Read on in a file of the archive; what is damaged there is a refusal."""
    with reading(path):
        return file.read(size)


def inspect(path: Path) -> Archive:
    """Return what an archive holds. Raises TrueupError where it is not a whole and safe cuDNN."""
    table = entries(path)
    _check_names(path, table)
    members = tuple(_members(table))
    names = {PurePosixPath(member.target).name for member in members}
    libraries = [name for name in names if _LIBRARY.fullmatch(name)]
    header = next((m for m in members if m.target.endswith(("cudnn_version.h", "include/cudnn.h"))), None)
    if not libraries or header is None:
        raise refuse("not-cudnn", path=str(path))
    system: System = "windows" if any(name.lower().endswith(".dll") for name in libraries) else "linux"
    version, cuda = _told(path, members)
    taken = {member.name for member in members}
    left = tuple(e.name for e in table if e.kind == "file" and e.name not in taken)
    return Archive(path, system, version, cuda, members, left)


def _check_names(path: Path, table: list[Entry]) -> None:
    """Refuse whatever would be written elsewhere than it says, on either system."""
    seen: set[str] = set()
    for entry in table:
        name = entry.name
        parts = name.rstrip("/").split("/")
        strange = any(letter in name for letter in '\\:*?"<>|\0') or any(ord(letter) < 32 for letter in name)
        if (
            strange
            or name.startswith("/")
            or any(part in ("", ".", "..") for part in parts[1:])
            or parts[0] == ".."
        ):
            raise refuse("unsafe-name", path=str(path), name=repr(name))
        if any(part != part.rstrip(". ") for part in parts if part != "."):
            raise refuse("unsafe-name", path=str(path), name=repr(name))
        key = name.rstrip("/").lower()
        if key in seen:
            raise refuse("twice", path=str(path), name=name)
        seen.add(key)
        _check_link(path, entry, table)


def _check_link(path: Path, entry: Entry, table: list[Entry]) -> None:
    """Allow a link only to a file beside it: libcudnn.so leads to libcudnn.so.8 in NVIDIA's own archives."""
    if entry.kind == "other" or (entry.kind == "link" and not entry.link):
        raise refuse("link", path=str(path), name=entry.name)
    if entry.kind == "link":
        beside = str(PurePosixPath(entry.name).parent / entry.link)
        if "/" in entry.link or beside not in {one.name for one in table if one.kind in ("file", "link")}:
            raise refuse("link", path=str(path), name=entry.name)


def _members(table: list[Entry]) -> Iterator[Member]:
    for entry in table:
        target = target_of(entry.name)
        if target and entry.kind in ("file", "link"):
            yield Member(entry.name, target, entry.size, entry.link)


def target_of(name: str) -> str | None:
    """Return where a file of the archive goes in a toolkit; None for licences and all that is not cuDNN's."""
    parts = [part for part in name.split("/") if part != "."]
    if len(parts) < 3:
        return None
    place, base = parts[1], parts[-1]
    low = base.lower()
    if place == "include" and len(parts) == 3 and low.startswith("cudnn") and low.endswith(".h"):
        return f"include/{base}"
    if place == "bin" and re.fullmatch(r"cudnn\w*64_\d+\.dll", low):
        return "/".join(["bin", *parts[2:]])
    if place == "lib" and re.fullmatch(r"cudnn\w*\.lib", low):
        return f"lib/x64/{base}"
    if (
        place in ("lib", "lib64")
        and len(parts) == 3
        and low.startswith("libcudnn")
        and _LIBRARY.fullmatch(low)
    ):
        return f"lib64/{base}"
    return None


def _told(path: Path, members: tuple[Member, ...]) -> tuple[str, str]:
    """Return version and CUDA line by the files; refuse where they, or the archive's name, disagree."""
    by_base = {PurePosixPath(member.name).name.lower(): member for member in members if not member.link}
    headers = [by_base[name].name for name in ("cudnn_version.h", "cudnn.h") if name in by_base]
    main = {m.name for base, m in by_base.items() if _MAIN.fullmatch(base)}
    ops = {m.name for base, m in by_base.items() if _OPS.fullmatch(base)} or main
    versions: dict[str, str] = {}
    lines: set[str] = set()
    for name, file in walk(path, frozenset({*headers, *main, *ops})):
        base = PurePosixPath(name).name
        if name in headers:
            text = piece_of(path, file, SMALL).decode("utf-8", "replace")
            versions |= {base: told} if (told := version_of_header(text)) else {}
        else:
            data = piece_of(path, file, SMALL) if name in main else b""
            versions |= {base: told} if data and (told := _dll_version(path, base, data)) else {}
            lines |= _lines(path, data, file) if name in ops else set()
    return _agreed(path, versions, lines)


def _dll_version(path: Path, base: str, data: bytes) -> str | None:
    try:
        read = Pe(io.BytesIO(data))
        if read.machine != "x86_64":
            raise refuse("x86", path=str(path), name=base, machine=read.machine)
        resource = read.file_version()
    except BadBinary as error:
        raise refuse("not-a-library", path=str(path), name=base) from error
    # Releases before 8 wrote CUDA's own number, or none.
    return None if resource is None or resource.startswith(("0.", "6.14.")) else resource


def _lines(path: Path, data: bytes, file: IO[bytes]) -> set[str]:
    """Return the lines of cuBLAS that a library names: it loads that one, so it is of that CUDA."""
    found: set[bytes] = set()
    tail = b""
    while piece := data or piece_of(path, file):
        window = tail + piece
        found |= {one or other for one, other in _CUBLAS.findall(window)}
        tail, data = window[-64:], b""
    return {one.decode() for one in found}


def _agreed(path: Path, versions: dict[str, str], lines: set[str]) -> tuple[str, str]:
    named = _NAME.search(path.name)
    told = {**versions, path.name: named["version"]} if named else versions
    if len({tuple(version.split(".")[:3]) for version in told.values()}) != 1:
        names = ", ".join(f"{name} {version}" for name, version in told.items())
        raise refuse("versions-differ" if told else "no-version", path=str(path), names=names)
    promised = (named["new"] or named["old"] or "").split(".")[0] if named else ""
    every = {line[:2] for line in lines} | ({promised} if promised else set())
    if len(every) != 1:
        code = "lines-differ" if every else "no-line"
        raise refuse(code, path=str(path), names=", ".join(sorted(every)))
    return max(told.values(), key=lambda version: version.count(".")), every.pop()
