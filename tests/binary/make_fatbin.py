"""Writes fatbin containers as NVIDIA's `fatbinary` does (compared with 13.5: see `test_fatbin.py`)."""

from __future__ import annotations

import struct
from typing import NamedTuple

VARIANTS = {"": 0, "a": 0x100000, "f": 0x200000}


class Entry(NamedTuple):
    kind: int
    arch: int
    variant: str = ""
    body: bytes = b"x" * 64
    appendix: bytes | None = None


def _appendix(entry: Entry) -> bytes:
    if entry.appendix is None:
        return b""
    data = struct.pack("<II", 72, len(entry.appendix)) + entry.appendix + bytes(4)
    return data + bytes(-len(data) % 8)


def _head(entry: Entry, second: int, size: int) -> bytes:
    flags = 0x11 | VARIANTS[entry.variant]
    more = _appendix(entry)
    words = (entry.kind, 0x101, second, size, 0, 64 if more else 0, 0, entry.arch, 0, flags, 0, 0)
    return struct.pack("<HHIQIIIIQQQQ", *words) + more


def container(entries: list[Entry]) -> bytes:
    body = b"".join(_head(e, 64 + len(_appendix(e)), len(e.body)) + e.body for e in entries)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def concatenated(entries: list[Entry]) -> bytes:
    """Write one entry that holds them all, as `fatbinary --concat`."""
    rows, at = b"", 0
    for entry in entries:
        rows += _head(entry, at, len(entry.body))
        at += len(entry.body)
    size = 64 + 8 + len(rows)
    bodies = b"".join(e.body for e in entries)
    outer = struct.pack("<HHIQIIIIQQQQ", 0x100, 0x101, size, len(bodies), 0, 64, 1, 0, 0, 0x8011, 0, 0)
    whole = outer + struct.pack("<II", len(entries), 8 + len(rows)) + rows + bodies
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(whole)) + whole
