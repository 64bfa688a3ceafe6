"""NVIDIA fatbins: for which GPUs a binary holds machine code (SASS) or code to compile at start (PTX).

The containers are found by their magic in any stream of bytes, so that a member of a wheel is read while it
is unpacked. A container is one module: a set of kernels, each of which exists for the architectures listed.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from trueup.facts.binary.code import Code, GpuModules, Kind
from trueup.facts.binary.view import BadBinary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAGIC = struct.pack("<I", 0xBA55ED50)
CONTAINER = struct.Struct("<IHHQ")  # magic, version, bytes of this header, bytes of what follows
ENTRY = struct.Struct("<HHIQ12xI8xQ16x")  # kind, version, header bytes, body bytes, architecture, flags
KINDS: dict[int, Kind] = {1: "ptx", 2: "sass"}
CONCATENATED = 0x100  # several entries in one body, their headers in a table in front of it
KINDS_KNOWN = frozenset({1, 2, 4, 8, 16, 32, 64, CONCATENATED})
ENTRY_VERSION = 0x101
HEADER_MOST = 1 << 20
ONLY_THIS, FAMILY = 0x100000, 0x200000  # flags of sm_90a and sm_100f


def scan(chunks: Iterable[bytes]) -> GpuModules:
    """Return the modules of all fatbins in a stream, in memory bounded by the size of a chunk."""
    modules: dict[frozenset[Code], int] = {}
    stream = _Stream(chunks)
    while stream.find(MAGIC):
        head = stream.peek(CONTAINER.size)
        if len(head) < CONTAINER.size:
            break
        _, version, header, size = CONTAINER.unpack(head)
        if (version, header) != (1, CONTAINER.size):
            stream.skip(len(MAGIC))
            continue
        stream.skip(header)
        if codes := frozenset(_entries(stream, size)):
            modules[codes] = modules.get(codes, 0) + 1
    return GpuModules(modules)


def _entries(stream: _Stream, left: int) -> Iterator[Code]:
    """Walk a container. At the first thing that is no entry the search for the next container goes on there."""
    while left >= ENTRY.size:
        fixed = stream.peek(ENTRY.size)
        if len(fixed) < ENTRY.size:
            return
        kind, version, header, body = ENTRY.unpack(fixed)[:4]
        known = kind in KINDS_KNOWN and version == ENTRY_VERSION and ENTRY.size <= header <= HEADER_MOST
        if not known or header + body > left:
            return
        yield from _codes(stream.peek(header))
        if not stream.skip(header + body):
            raise BadBinary("truncated", "fatbin entry")
        left -= header + body


def _codes(header: bytes) -> Iterator[Code]:
    if ENTRY.unpack_from(header)[0] != CONCATENATED:
        yield from _code(header, 0)
        return
    if len(header) < ENTRY.size + 8:
        return
    count, size = struct.unpack_from("<II", header, ENTRY.size)
    at, end = ENTRY.size + 8, min(len(header), ENTRY.size + size)
    for _ in range(count):
        if at + ENTRY.size > end:
            return
        yield from _code(header, at)
        at += _row_size(header, at)


def _row_size(header: bytes, at: int) -> int:
    """Return the bytes of one row of a concatenated entry: fixed part and, where announced, an appendix."""
    if not struct.unpack_from("<I", header, at + 20)[0] or at + ENTRY.size + 8 > len(header):
        return ENTRY.size
    appendix: int = struct.unpack_from("<I", header, at + ENTRY.size + 4)[0]
    return ENTRY.size + 8 + (appendix + 4 + 7) // 8 * 8


def _code(header: bytes, at: int) -> Iterator[Code]:
    kind, _, _, _, arch, flags = ENTRY.unpack_from(header, at)
    if kind in KINDS and arch:
        variant = "a" if flags & ONLY_THIS else "f" if flags & FAMILY else ""
        yield Code(KINDS[kind], arch // 10, arch % 10, variant)


class _Stream:
    """A window that moves over chunks."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._window = b""
        self._at = 0

    def _more(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        self._window = self._window[self._at :] + chunk
        self._at = 0
        return True

    def find(self, magic: bytes) -> bool:
        """Move to the next place of `magic`; False at the end of the stream."""
        while True:
            found = self._window.find(magic, self._at)
            if found >= 0:
                self._at = found
                return True
            self._at = max(self._at, len(self._window) - len(magic) + 1)
            if not self._more():
                return False

    def peek(self, count: int) -> bytes:
        """Return the next bytes without moving; fewer at the end of the stream."""
        while len(self._window) - self._at < count and self._more():
            pass
        return self._window[self._at : self._at + count]

    def skip(self, count: int) -> bool:
        """Move on; False where the stream ends before."""
        while (left := len(self._window) - self._at) < count:
            count -= left
            self._at = len(self._window)
            if not self._more():
                return False
        self._at += count
        return True
