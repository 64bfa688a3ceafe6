"""Small acts on files that either happen as a whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup.errors import SetupError
from trueup.setup.replacing import replace

if TYPE_CHECKING:
    from collections.abc import Callable

# A virus scanner or an indexer opens new files for a moment; Windows then refuses to move their folder.
MOVE_WAITS_S: Final = (0.1, 0.3, 1.0, 2.0)
SHARING: Final = (5, 32)  # ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION
VIRUS: Final = (225, 226)  # ERROR_VIRUS_INFECTED, ERROR_VIRUS_DELETED


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, also after a power cut. Links are followed."""
    path = path.resolve() if path.is_symlink() else path
    fresh = path.with_name(path.name + ".new")
    try:
        with fresh.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        replace(fresh, path)
    except OSError:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise


def move(source: Path, target: Path) -> None:
    """Rename a folder. Raises SetupError where a program holds a file in it or the place is not writable."""
    try:
        _patiently(lambda: source.rename(target))
    except OSError as error:
        raise failed(error, source) from error
    sync_folder(target.parent)


def _patiently(act: Callable[[], object]) -> None:
    for wait in MOVE_WAITS_S:
        if _done(act):
            return
        time.sleep(wait)
    act()


def _done(act: Callable[[], object]) -> bool:
    try:
        act()
    except PermissionError as error:
        if getattr(error, "winerror", None) in SHARING:
            return False
        raise
    return True


def sync_folder(folder: Path) -> None:
    """Bring a rename to the disk, where the system has a way to."""
    if sys.platform != "win32":
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def remove_tree(folder: Path) -> bool:
    """Remove a folder of ours; tell whether all of it is gone. What is held open stays for the next run."""
    if folder.is_dir():
        shutil.rmtree(long(folder), ignore_errors=True)
    return not folder.exists()


def long(path: Path) -> Path:
    """Return the form of an absolute path that Windows takes beyond 260 characters."""
    text = str(path)
    return Path("\\\\?\\" + text) if sys.platform == "win32" and not text.startswith("\\\\") else path


def failed(error: OSError, path: Path) -> SetupError:
    """Return our words for what the file system says."""
    words = f"{error.strerror or error} ({errno.errorcode.get(error.errno or 0, error.errno)})"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SetupError("disk-filled", quote=words, what=str(path))
    code = getattr(error, "winerror", None)
    if code in VIRUS:
        return SetupError("virus", quote=words, what=str(path))
    if code in SHARING:
        from trueup.setup.holding import named  # noqa: PLC0415  # only on the way out of a failure

        return named(SetupError("in-use", quote=words, what=str(path)))
    return SetupError("unwritable", quote=words, what=str(path))
