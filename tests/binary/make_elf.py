"""Writes small ELF files to read: one loaded segment at an address that differs from its file offset."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

BIAS = 0x10000


@dataclass
class ElfMaker:
    bits: int = 64
    order: str = "<"
    machine: int = 62
    soname: str | None = None
    needed: tuple[str, ...] = ()
    rpath: str | None = None
    runpath: str | None = None
    wants: dict[str, tuple[str, ...]] = field(default_factory=dict)
    defines: tuple[str, ...] = ()

    def content(self) -> bytes:
        wide = self.bits == 64
        header, row, count = (64, 56, 2) if wide else (52, 32, 2)
        body_at = header + row * count
        strings, body = bytearray(b"\0"), bytearray()

        def text(value: str) -> int:
            at = len(strings)
            strings.extend(value.encode() + b"\0")
            return at

        pairs = [(1, text(name)) for name in self.needed]
        pairs += [(tag, text(t)) for tag, t in ((14, self.soname), (15, self.rpath), (29, self.runpath)) if t]
        if self.wants:
            pairs += [(0x6FFFFFFE, BIAS + body_at + len(body)), (0x6FFFFFFF, len(self.wants))]
            body += self._wants(text)
        if self.defines:
            pairs += [(0x6FFFFFFC, BIAS + body_at + len(body)), (0x6FFFFFFD, len(self.defines) + 1)]
            body += self._defines(text)
        pairs.append((5, BIAS + body_at + len(body)))
        body += strings
        body += bytes(-len(body) % 8)
        dynamic_at = body_at + len(body)
        layout = self.order + ("QQ" if wide else "II")
        body += b"".join(struct.pack(layout, *pair) for pair in [*pairs, (0, 0)])
        end = body_at + len(body)
        segments = [(1, 0, BIAS, end), (2, dynamic_at, BIAS + dynamic_at, end - dynamic_at)]
        return self._head(header) + b"".join(self._segment(*s) for s in segments) + bytes(body)

    def _head(self, size: int) -> bytes:
        wide = self.bits == 64
        ident = b"\x7fELF" + bytes([2 if wide else 1, 1 if self.order == "<" else 2, 1]) + bytes(9)
        layout = self.order + ("HHIQQQIHHHHHH" if wide else "HHIIIIIHHHHHH")
        return ident + struct.pack(
            layout, 3, self.machine, 1, 0, size, 0, 0, size, 56 if wide else 32, 2, 0, 0, 0
        )

    def _segment(self, kind: int, offset: int, address: int, size: int) -> bytes:
        if self.bits == 64:
            return struct.pack(self.order + "IIQQQQQQ", kind, 4, offset, address, address, size, size, 8)
        return struct.pack(self.order + "8I", kind, offset, address, address, size, size, 4, 8)

    def _wants(self, text: Callable[[str], int]) -> bytes:
        out = b""
        left = len(self.wants)
        for library, versions in self.wants.items():
            left -= 1
            step = 16 + 16 * len(versions) if left else 0
            out += struct.pack(self.order + "HHIII", 1, len(versions), text(library), 16, step)
            for index, version in enumerate(versions):
                following = 16 if index + 1 < len(versions) else 0
                out += struct.pack(self.order + "IHHII", 0, 0, 2 + index, text(version), following)
        return out

    def _defines(self, text: Callable[[str], int]) -> bytes:
        out = b""
        names = [self.soname or "base", *self.defines]
        for index, name in enumerate(names):
            step = 28 if index + 1 < len(names) else 0
            out += struct.pack(self.order + "HHHHIII", 1, int(index == 0), index + 1, 1, 0, 20, step)
            out += struct.pack(self.order + "II", text(name), 0)
        return out
