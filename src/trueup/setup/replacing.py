"""Puts a finished file in another's place, where it takes over what is not content: owner, rights, attributes."""

from __future__ import annotations

import os
import shutil
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

# A program's rights and its signatures are of its content; the others describe the file.
OF_CONTENT: Final = ("security.capability", "security.ima", "security.evm")
IGNORE_MERGE_ERRORS: Final = 2  # a file whose ACL we may not write is replaced all the same


def replace(fresh: Path, path: Path, mode: int | None = None) -> None:
    """Put `fresh`, which lies beside it, in the place of `path`; `mode` None keeps the one that was there.

    `path` is no link: its caller resolves it. Raises OSError.
    """
    try:
        old = path.stat()
    except FileNotFoundError:
        if mode is not None:
            fresh.chmod(mode)
        fresh.replace(path)
        return
    wanted = stat.S_IMODE(old.st_mode) if mode is None else mode
    if sys.platform == "win32":
        _replace_on_windows(fresh, path, wanted)
    elif _is_dressed(fresh, path, old):
        fresh.chmod(wanted)  # after the ACL, whose mask it is
        fresh.replace(path)
    else:
        _pour(fresh, path, wanted)


def _is_dressed(fresh: Path, path: Path, old: os.stat_result) -> bool:
    """Give a new file the owner and the attributes of an old one; tell whether that worked."""
    if sys.platform != "win32":
        new = fresh.stat()
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            try:
                os.chown(fresh, old.st_uid, old.st_gid)
            except PermissionError:
                return False
    if sys.platform == "linux":
        with suppress(OSError):  # a file system without them
            for name in os.listxattr(path):
                if name not in OF_CONTENT:
                    with suppress(OSError):
                        os.setxattr(fresh, name, os.getxattr(path, name))
    return True


def _pour(fresh: Path, path: Path, mode: int) -> None:
    """Write the content into a file whose owner we may not give away: less safe in a power cut, but it stays theirs."""
    if stat.S_IMODE(path.stat().st_mode) != mode:
        path.chmod(mode)
    with fresh.open("rb") as source, path.open("r+b") as target:
        shutil.copyfileobj(source, target)
        target.truncate()
        target.flush()
        os.fsync(target.fileno())
    fresh.unlink()


def _replace_on_windows(fresh: Path, path: Path, mode: int) -> None:
    """Let Windows do it, which keeps the ACL, the streams and "hidden"; a disk that cannot is renamed on."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415  # on Windows only

        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.ReplaceFileW.argtypes = [*[ctypes.c_wchar_p] * 3, ctypes.c_uint32, *[ctypes.c_void_p] * 2]
        kernel.ReplaceFileW(str(path), str(fresh), None, IGNORE_MERGE_ERRORS, None, None)
        if fresh.exists():
            fresh.replace(path)
        if stat.S_IMODE(path.stat().st_mode) != mode:
            path.chmod(mode)
