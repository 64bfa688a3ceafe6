"""A file that the user named: written wholly or not at all, and the way out where it cannot be."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from trueup.values import Message, TrueupError

FULL = (errno.ENOSPC, errno.EDQUOT)
DEVICES = ("/dev/", "/proc/")


def save_text(path: str | Path, text: str) -> int:
    """Write a text and return its bytes. What stood there stays where it fails. Raises TrueupError."""
    from trueup.setup.files import write_whole

    place, data = Path(path), text.encode("utf-8", "backslashreplace")
    try:
        if _only_in_place(place):
            place.write_bytes(data)
        else:
            write_whole(place, data.decode())
    except OSError as error:
        told = Message("check.not-saved", {"path": str(path), "text": error.strerror or str(error)})
        hint = "check.save-room" if error.errno in FULL else "check.save-elsewhere"
        raise TrueupError(told, Message(hint)) from error
    return len(data)


def _only_in_place(place: Path) -> bool:
    """Tell what cannot be replaced: a device, a pipe, a folder, or a file in a folder of somebody else."""
    if place.as_posix().startswith(DEVICES):  # `/dev/stdout` is whatever file the shell opened
        return True
    if place.is_file():
        return not os.access(place.resolve().parent, os.W_OK)
    return place.exists()
