"""Which cuDNN serves which CUDA and which cards."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from trueup.facts.model import Cudnn
from trueup.facts.store import source, table

if TYPE_CHECKING:
    from trueup.values import Source


@functools.cache
def rows() -> tuple[Cudnn, ...]:
    """Return every row, oldest cuDNN first."""
    data = table("cudnn")
    return tuple(_row(row, source(data["sources"], row[9], *row[10:])) for row in data["rows"])


def _row(row: list[Any], origin: Source) -> Cudnn:
    first, last, cuda_first, cuda_last, least, newest, linux, windows, zlib = row[:9]
    return Cudnn(first, last, cuda_first, cuda_last, least, newest, linux, windows, zlib, origin)


def of(version: str, cuda: str) -> Cudnn | None:
    """Return the row of a cuDNN such as "8.9.5.29", or of the newest of a line such as "8.9", for a CUDA line."""
    release, toolkit = _version(version), _version(cuda)
    found = [r for r in rows() if _within(r, release) and _serves(r, toolkit)]
    return found[-1] if found else None


_version = functools.cache(Version)  # a hundred rows name a dozen CUDA lines


def _within(row: Cudnn, release: Version) -> bool:
    parts = len(release.release[:3])
    wanted = release.release[:3]
    return _version(row.first).release[:parts] <= wanted <= _version(row.last).release[:parts]


def _serves(row: Cudnn, cuda: Version) -> bool:
    if row.cuda_last.endswith(".x"):
        return _version(row.cuda_first) <= cuda and row.cuda_last == f"{cuda.major}.x"
    return _version(row.cuda_first) <= cuda <= _version(row.cuda_last)
