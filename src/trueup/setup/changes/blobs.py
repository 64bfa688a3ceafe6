"""Contents of files by their SHA-256, beside the journal."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Blobs:
    """A folder of contents. What is in it is whole, also after a power cut."""

    folder: Path

    def put(self, data: bytes) -> str:
        """Store a content and return its SHA-256."""
        name = sha256(data)
        path = self.folder / name
        if not path.exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f"{name}.{os.getpid()}.new")
            write_synced(fresh, data)
            fresh.replace(path)
        return name

    def get(self, name: str) -> bytes:
        """Return a content. Raises OSError where it is gone or damaged."""
        data = (self.folder / name).read_bytes()
        if sha256(data) != name:
            raise OSError(f"the backup {name} is damaged")
        return data


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_synced(path: Path, data: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
