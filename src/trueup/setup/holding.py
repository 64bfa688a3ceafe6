"""Which running programs hold a file: asked of Windows' Restart Manager, else found by looking. None is stopped."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import psutil

from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MORE_DATA: Final = 234  # ERROR_MORE_DATA
NAME, SERVICE, KEY = 256, 64, 33  # characters of RM_PROCESS_INFO and of a session's key
MOST_FILES: Final = 500  # asked about of one folder
LIBRARIES: Final = (".dll", ".pyd", ".exe")
QUOTED: Final = re.compile(
    r"`(?P<path>[^`]+)`[^`]*?(?:os error 32\b|being used by another process)", re.DOTALL
)


class _Process(ctypes.Structure):
    _fields_ = [("pid", ctypes.c_uint32), ("started", ctypes.c_uint32 * 2)]


class _Info(ctypes.Structure):
    _fields_ = [
        ("process", _Process),
        ("name", ctypes.c_wchar * NAME),
        ("service", ctypes.c_wchar * SERVICE),
        ("kind", ctypes.c_int),
        ("status", ctypes.c_uint32),
        ("session", ctypes.c_uint32),
        ("restartable", ctypes.c_int),
    ]


def programs(path: Path) -> tuple[str, ...]:
    """Return `name (process number)` of the programs that hold a file, or a file in a folder."""
    paths = [str(p) for p in _files(path)]
    asked = _restart_manager(paths) if sys.platform == "win32" and paths else None
    return asked or tuple(dict.fromkeys(_looked(paths)))


def named(error: SetupError) -> SetupError:
    """Return the error of a file in use with the names of who uses it, where they can be found."""
    if error.kind != "in-use":
        return error
    from pathlib import Path  # noqa: PLC0415  # only on the way out of a failure

    what = str(error.message.params["what"])
    found = QUOTED.search(error.quote)
    by = programs(Path(found["path"] if found else what))
    if not by:
        return error
    return SetupError("held", quote=error.quote, what=found["path"] if found else what, by=", ".join(by))


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    found = (p for p in path.rglob("*") if p.suffix.lower() in LIBRARIES)
    return [p for p, _ in zip(found, range(MOST_FILES), strict=False)]


def _looked(paths: Sequence[str]) -> Iterator[str]:
    """Look through the processes that we may look into: their program and their libraries."""
    wanted = {path.lower() for path in paths}
    for process in psutil.process_iter():
        if process.pid == os.getpid():
            continue
        held: set[str] = set()
        with suppress(psutil.Error, OSError):
            held.add(process.exe())
        with suppress(psutil.Error, OSError):
            held.update(region.path for region in process.memory_maps())
        if wanted & {path.lower() for path in held}:
            yield f"{_name(process)} ({process.pid})"


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except (psutil.Error, OSError):
        return "?"


def _restart_manager(paths: Sequence[str]) -> tuple[str, ...] | None:
    """Ask Windows; None where it does not answer."""
    try:
        api = ctypes.WinDLL("rstrtmgr")  # type: ignore[attr-defined,unused-ignore]
    except (AttributeError, OSError):
        return None
    session, key = ctypes.c_uint32(), ctypes.create_unicode_buffer(KEY)
    if api.RmStartSession(ctypes.byref(session), 0, key):
        return None
    try:
        names = (ctypes.c_wchar_p * len(paths))(*paths)
        if api.RmRegisterResources(session, len(paths), names, 0, None, 0, None):
            return None
        return _listed(api, session)
    finally:
        api.RmEndSession(session)


def _listed(api: Any, session: ctypes.c_uint32) -> tuple[str, ...] | None:
    room, needed, reasons = 8, ctypes.c_uint32(), ctypes.c_uint32()
    for _ in range(3):  # programs may start in between
        rows, count = (_Info * room)(), ctypes.c_uint32(room)
        status = api.RmGetList(
            session, ctypes.byref(needed), ctypes.byref(count), rows, ctypes.byref(reasons)
        )
        if status == MORE_DATA:
            room = needed.value + 4
            continue
        return (
            None
            if status
            else tuple(
                f"{row.name} ({row.process.pid})"
                for row in rows[: count.value]
                if row.process.pid != os.getpid()
            )
        )
    return None
