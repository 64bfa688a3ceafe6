"""Contents of files by their SHA-256, beside the journal."""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Blobs:
    """A folder of contents. What is in it is whole, also after a power cut."""

    folder: Path

    def put(self, data: bytes) -> str:
        """Store a content and return its SHA-256."""
        name = sha256(data)
        path = self.folder / name
        if path.exists():
            os.utime(path)  # so that nobody takes it for old and unused
        else:
            self.folder.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f"{name}.{os.getpid()}.new")
            write_synced(fresh, data)
            fresh.replace(path)
        return name

    def put_file(self, source: Path) -> str:
        """Store the content of a file of any size and return its SHA-256."""
        self.folder.mkdir(parents=True, exist_ok=True)
        fresh = self.folder / f"file.{os.getpid()}.new"
        name = _copy(source, fresh)
        fresh.replace(self.folder / name)
        return name

    def get(self, name: str) -> bytes:
        """Return a content. Raises OSError where it is gone or damaged."""
        data = (self.folder / name).read_bytes()
        if sha256(data) != name:
            raise OSError(f"the backup {name} is damaged")
        return data

    def copy_to(self, name: str, path: Path) -> None:
        """Write a content to a new file. Raises OSError where it is gone or damaged; then nothing is left."""
        whole = False
        try:
            whole = _copy(self.folder / name, path) == name
        finally:
            if not whole:
                with suppress(OSError):
                    path.unlink()
        if not whole:
            raise OSError(f"the backup {name} is damaged")


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, read in pieces."""
    digest = hashlib.sha256()
    for piece in _pieces(path):
        digest.update(piece)
    return digest.hexdigest()


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _copy(source: Path, target: Path) -> str:
    digest = hashlib.sha256()
    with target.open("wb") as file:
        for piece in _pieces(source):
            digest.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(CHUNK):
            yield piece
