"""Why a wheel or an index is not read."""

from __future__ import annotations

import struct
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.values import Param

Reason = Literal[
    "not-a-wheel",  # its name is none
    "broken-zip",
    "unsafe-name",
    "zip-bomb",
    "wrong-hash",
    "wrong-metadata",
    "bad-source",
    "missing-member",
    "changed-meanwhile",
    "index-unreachable",
    "index-too-slow",
    "index-answer",
    "no-project",
    "no-release",
    "no-index",
    "no-folder",
]
WITH_HINT = frozenset(
    {
        "index-unreachable",
        "index-too-slow",
        "index-answer",
        "no-project",
        "no-release",
        "no-index",
        "no-folder",
    }
)
ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    struct.error,
    NotImplementedError,  # a compression that no wheel has
    ValueError,  # offsets below zero, names that are no text
    OverflowError,
    OSError,
)


class Refused(TrueupError):  # noqa: N818  # what happened, as values.Unknown
    """What was asked for cannot be read, with the reason's name."""

    def __init__(self, reason: Reason, what: str, **params: Param) -> None:
        hint = f"harvest.hint-{reason}" if reason in WITH_HINT else "harvest.hint-wheel"
        super().__init__(Message(f"harvest.{reason}", {"what": what, **params}), Message(hint))
        self.reason: Reason = reason


@contextmanager
def broken_zip_refused(file: str) -> Iterator[None]:
    """Turn whatever the zip reader says of a malformed file into a refusal."""
    try:
        yield
    except ZIP_ERRORS as error:
        raise Refused("broken-zip", file, detail=str(error) or type(error).__name__) from error
