"""The exact files of an environment, as a checked pylock.toml holds them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a lock. `size` is in bytes, None where the index does not say."""

    filename: str
    url: str
    sha256: str
    size: int | None


@dataclass(frozen=True, slots=True)
class Locked:
    """A package of a lock with the one file that the target will take; `sha256s` are of all its files."""

    name: str
    version: str
    artifact: Artifact
    sha256s: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lock:
    """A checked pylock.toml. `text` is its whole content, `sha256` that of the text."""

    text: str
    sha256: str
    request_id: str | None
    packages: tuple[Locked, ...]

    @property
    def download_bytes(self) -> int | None:
        sizes = [package.artifact.size for package in self.packages]
        return None if None in sizes else sum(size or 0 for size in sizes)
