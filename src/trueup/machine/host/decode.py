"""Bytes of foreign programs and files to text. `wsl.exe` writes UTF-16, `reg.exe` the console's code page."""

from __future__ import annotations

import locale


def decode(data: bytes) -> str:
    """Return text whose lines end in a line feed; nothing is lost silently, what does not decode is escaped."""
    return _text(data).replace("\r\n", "\n").replace("\0", "")


def _text(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "backslashreplace")
    if _looks_utf16(data):
        return data.decode("utf-16-le", "backslashreplace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode(locale.getpreferredencoding(do_setlocale=False), "backslashreplace")


def _looks_utf16(data: bytes) -> bool:
    """Tell UTF-16 without a mark by the zero high bytes of its line ends and spaces."""
    return len(data) % 2 == 0 and any(mark in data for mark in (b"\n\x00", b" \x00", b".\x00"))
