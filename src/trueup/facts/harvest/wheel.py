"""A wheel as a checked list of members, from a file or a server; nothing in it is trusted, nothing is run."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import re
import struct
import zipfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, BinaryIO

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

from trueup.facts.harvest.refuse import Refused, broken_zip_refused

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from packaging.tags import Tag
    from packaging.version import Version
    from typing_extensions import Self

CHUNK = 1 << 20
TEXT_MOST = 32 << 20  # RECORD of a large wheel has 3 MB
DIRECTORY_MOST = 64 << 20
MEMBER_MOST = 8 << 30
RATIO_MOST, RATIO_FROM = 200, 64 << 20  # real libraries stay below 60:1


@dataclass(frozen=True, slots=True)
class Member:
    name: str
    size: int


class Wheel:
    """An open wheel. `sha256` is computed where the file is whole, else the index's word."""

    def __init__(self, file: BinaryIO, name: str, sha256: str | None) -> None:
        self.file, self.sha256 = name, sha256
        self.package, self.version, self.tags = _named(name)
        self._stream = file
        self.size = file.seek(0, io.SEEK_END)
        with broken_zip_refused(name):
            _check_directory_size(file, self.size, name)
            self._zip = zipfile.ZipFile(file)
            self._infos = self._checked(self._zip.infolist())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._stream.close()

    def _checked(self, infos: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        found: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            if info.is_dir():
                continue
            if _unsafe(info.filename) or info.filename in found:
                raise Refused("unsafe-name", self.file, member=info.filename)
            if info.flag_bits & 1:
                raise Refused("broken-zip", self.file, detail=f"{info.filename} is encrypted")
            if _bomb(info):
                raise Refused("zip-bomb", self.file, member=info.filename, size=info.file_size)
            found[info.filename] = info
        if sum(info.compress_size for info in found.values()) > self.size:
            raise Refused("zip-bomb", self.file, member="*", size=sum(i.file_size for i in found.values()))
        return found

    @property
    def members(self) -> tuple[Member, ...]:
        """Return all members by name."""
        return tuple(Member(name, self._infos[name].file_size) for name in sorted(self._infos))

    def size_of(self, member: str) -> int:
        return self._infos[member].file_size

    def chunks(self, member: str) -> Iterator[bytes]:
        """Yield a member's content; a wrong checksum or a hash that RECORD contradicts is refused at its end."""
        digest = hashlib.sha256()
        with broken_zip_refused(self.file), self._zip.open(self._infos[member]) as stream:
            while chunk := stream.read(CHUNK):
                digest.update(chunk)
                yield chunk
        if member != self.record_name:
            self._compare(member, digest.digest())

    def _compare(self, member: str, digest: bytes) -> None:
        recorded = self.record.get(member)
        if recorded and recorded != base64.urlsafe_b64encode(digest).rstrip(b"=").decode():
            raise Refused("wrong-hash", f"{self.file}: {member}")

    def text(self, member: str) -> str:
        """Return a small member."""
        if member not in self._infos:
            raise Refused("missing-member", self.file, member=member)
        if self._infos[member].file_size > TEXT_MOST:
            raise Refused("zip-bomb", self.file, member=member, size=self._infos[member].file_size)
        return b"".join(self.chunks(member)).decode("utf-8", "replace")

    @cached_property
    def dist_info(self) -> str:
        """Return the one metadata folder."""
        folders = {PurePosixPath(name).parts[0] for name in self._infos if name.count("/") == 1}
        found = sorted(folder for folder in folders if folder.endswith(".dist-info"))
        if len(found) != 1:
            raise Refused("missing-member", self.file, member="*.dist-info/METADATA")
        return found[0]

    @property
    def record_name(self) -> str:
        return f"{self.dist_info}/RECORD"

    @cached_property
    def record(self) -> dict[str, str]:
        """Return member -> sha256 as RECORD writes it, for the members that have one."""
        found: dict[str, str] = {}
        try:
            for row in csv.reader(io.StringIO(self.text(self.record_name))):
                if len(row) == 3 and row[1].startswith("sha256="):
                    found[row[0]] = row[1].removeprefix("sha256=")
        except csv.Error as error:
            raise Refused("bad-source", self.file, member=self.record_name) from error
        return found


def installed(member: str) -> str:
    """Return where a member lands below `site-packages`; old wheels keep their modules in a `.data` folder."""
    return re.sub(r"^[^/]+\.data/(purelib|platlib)/", "", member)


def sha256_of(file: BinaryIO) -> str:
    """Return the hash of a whole file."""
    digest = hashlib.sha256()
    file.seek(0)
    while chunk := file.read(CHUNK):
        digest.update(chunk)
    return digest.hexdigest()


def open_wheel(file: BinaryIO, name: str, sha256: str | None, *, whole: bool = True) -> Wheel:
    """Check a wheel's hash, where its bytes are at hand, and its structure; close the file on refusal."""
    try:
        return Wheel(file, name, _compared(file, name, sha256) if whole else sha256)
    except BaseException:
        file.close()
        raise


def _compared(file: BinaryIO, name: str, sha256: str | None) -> str:
    found = sha256_of(file)
    if sha256 and found != sha256.lower():
        raise Refused("wrong-hash", name)
    return found


def _named(name: str) -> tuple[str, Version, tuple[Tag, ...]]:
    try:
        package, version, _, tags = parse_wheel_filename(name)
    except InvalidWheelFilename as error:
        raise Refused("not-a-wheel", name) from error
    return package, version, tuple(sorted(tags, key=str))


def _unsafe(name: str) -> bool:
    windows = PureWindowsPath(name)
    parts = name.replace("\\", "/").split("/")
    return bool(windows.drive or windows.root or ".." in parts or "\0" in name or ":" in parts[0])


def _bomb(info: zipfile.ZipInfo) -> bool:
    dense = info.file_size > RATIO_FROM and info.file_size > RATIO_MOST * max(1, info.compress_size)
    return info.file_size > MEMBER_MOST or dense


def _check_directory_size(file: BinaryIO, size: int, name: str) -> None:
    """Refuse a list of members that would not fit in memory, before the zip reader takes it in."""
    window = min(size, (1 << 16) + 22)
    file.seek(size - window)
    tail = file.read(window)
    at = tail.rfind(b"PK\5\6")
    if at < 0 or len(tail) - at < 22:
        raise Refused("broken-zip", name, detail="no end of the central directory: the file is cut off")
    count, length = struct.unpack_from("<HI", tail, at + 10)
    wide = tail.rfind(b"PK\6\6", 0, at)
    if wide >= 0 and at - wide >= 56 and (count == 0xFFFF or length == 0xFFFFFFFF):
        length = struct.unpack_from("<Q", tail, wide + 40)[0]
    if length > DIRECTORY_MOST:
        raise Refused("zip-bomb", name, member="central directory", size=length)
