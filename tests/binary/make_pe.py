"""Writes small PE files to read: one section at address 0x1000, whose file offset differs."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

ADDRESS, RAW_AT, HEADERS = 0x1000, 0x400, 0x400
BASE = 0x180000000


@dataclass
class PeMaker:
    machine: int = 0x8664
    plus: bool = True
    imports: dict[str, list[str | int]] = field(default_factory=dict)
    delayed: dict[str, list[str | int]] = field(default_factory=dict)
    delayed_absolute: bool = False
    without_lookup: bool = False
    exports: dict[str, str | None] = field(default_factory=dict)
    version: tuple[int, int, int, int] | None = None

    def content(self) -> bytes:
        body = _Body(8 if self.plus else 4)
        directories = [(0, 0)] * 16
        if self.exports:
            directories[0] = body.exports(self.exports)
        if self.imports:
            directories[1] = body.imports(self.imports, without_lookup=self.without_lookup)
        if self.version:
            directories[2] = body.version(self.version)
        if self.delayed:
            base = (BASE if self.plus else 0x400000) if self.delayed_absolute else 0
            directories[13] = body.delayed(self.delayed, base)
        return self._headers(directories, len(body.data)).ljust(RAW_AT, b"\0") + bytes(body.data)

    def _headers(self, directories: list[tuple[int, int]], size: int) -> bytes:
        dos = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x80)
        optional = bytearray(112 if self.plus else 96)
        struct.pack_into("<H", optional, 0, 0x20B if self.plus else 0x10B)
        if self.plus:
            struct.pack_into("<Q", optional, 24, BASE)
        else:
            struct.pack_into("<I", optional, 28, 0x400000)
        struct.pack_into("<I", optional, 60, HEADERS)
        struct.pack_into("<I", optional, len(optional) - 4, 16)
        for pair in directories:
            optional += struct.pack("<II", *pair)
        coff = struct.pack("<HHIIIHH", self.machine, 1, 0, 0, 0, len(optional), 0x2022)
        section = b".rdata\0\0" + struct.pack("<IIII", size, ADDRESS, size, RAW_AT) + bytes(16)
        return dos.ljust(0x80, b"\0") + b"PE\0\0" + coff + bytes(optional) + section


class _Body:
    def __init__(self, width: int) -> None:
        self.data = bytearray()
        self._width = width

    def put(self, data: bytes) -> int:
        """Append and return the address."""
        self.data += bytes(-len(self.data) % 8)
        at = ADDRESS + len(self.data)
        self.data += data
        return at

    def text(self, text: str) -> int:
        return self.put(text.encode("latin-1") + b"\0")

    def _thunks(self, symbols: list[str | int], base: int) -> int:
        words = []
        for symbol in symbols:
            if isinstance(symbol, int):
                words.append(1 << (self._width * 8 - 1) | symbol)
            else:
                words.append(base + self.put(b"\0\0" + symbol.encode() + b"\0"))
        layout = "<" + ("Q" if self._width == 8 else "I") * (len(words) + 1)
        return self.put(struct.pack(layout, *words, 0))

    def imports(self, dlls: dict[str, list[str | int]], *, without_lookup: bool) -> tuple[int, int]:
        rows = b""
        for name, symbols in dlls.items():
            thunks = self._thunks(symbols, 0)
            rows += struct.pack("<IIIII", 0 if without_lookup else thunks, 0, 0, self.text(name), thunks)
        return self.put(rows + bytes(20)), len(rows) + 20

    def delayed(self, dlls: dict[str, list[str | int]], base: int) -> tuple[int, int]:
        rows = b""
        for name, symbols in dlls.items():
            thunks = self._thunks(symbols, 0)
            words = (0 if base else 1, base + self.text(name), 0, 0, base + thunks, 0, 0, 0)
            rows += struct.pack("<8I", *(word & 0xFFFFFFFF for word in words))
        return self.put(rows + bytes(32)), len(rows) + 32

    def exports(self, symbols: dict[str, str | None]) -> tuple[int, int]:
        start = self.put(bytes(40))
        names = [self.text(name) for name in symbols]
        targets = [self.text(forward) if forward else 0x10 for forward in symbols.values()]
        count = len(symbols)
        functions = self.put(struct.pack(f"<{count}I", *targets))
        name_table = self.put(struct.pack(f"<{count}I", *names))
        ordinals = self.put(struct.pack(f"<{count}H", *range(count)))
        table = struct.pack("<6I", 0, 0, 0, 0, 5, count)[: 5 * 4] + struct.pack(
            "<5I", count, count, functions, name_table, ordinals
        )
        struct.pack_into("<40s", self.data, start - ADDRESS, table)
        return start, ADDRESS + len(self.data) - start

    def version(self, numbers: tuple[int, int, int, int]) -> tuple[int, int]:
        a, b, c, d = numbers
        fixed = struct.pack("<4I", 0xFEEF04BD, 0x10000, a << 16 | b, c << 16 | d)
        block = b"\0\0\x34\0\0\0" + "VS_VERSION_INFO\0".encode("utf-16-le") + fixed
        data = self.put(block)
        levels = [(16, 24 | 1 << 31), (1, 48 | 1 << 31), (1033, 72)]
        tree = b"".join(struct.pack("<IIIHHII", 0, 0, 0, 0, 1, key, to) for key, to in levels)
        return self.put(tree + struct.pack("<4I", data, len(block), 0, 0)), 0
