"""Linux ELF: what a shared object needs, where it looks for it, and which symbol versions it asks for.

Reads program headers and the dynamic section only, as the loader does; section headers may be stripped.
An own reader, since importing pyelftools alone costs as much as a whole start of the program.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.facts.binary.view import BadBinary, View

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

MACHINES = {62: "x86_64", 183: "aarch64", 3: "x86", 40: "arm", 21: "ppc64", 243: "riscv", 190: "cuda"}
LOAD, DYNAMIC, INTERPRETER = 1, 2, 3
NEEDED, STRINGS, SONAME, RPATH, RUNPATH = 1, 5, 14, 15, 29
DEFINED, DEFINED_COUNT, WANTED, WANTED_COUNT = 0x6FFFFFFC, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
ROWS_MOST = 1 << 16
BASE_VERSION = 1  # flag of the version definition that only repeats the SONAME


@dataclass(frozen=True, slots=True)
class Elf:
    """`wants` maps a library to the symbol versions asked of it, such as `GLIBC_2.17`, in the file's order."""

    machine: str
    bits: int
    soname: str | None
    needed: tuple[str, ...]
    rpath: tuple[str, ...]
    runpath: tuple[str, ...]
    interpreter: str | None
    wants: tuple[tuple[str, tuple[str, ...]], ...]
    defines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Segment:
    kind: int
    offset: int
    address: int
    size: int


def read_elf(file: BinaryIO) -> Elf:
    """Read a shared object, a program or a CUDA object; a static one needs nothing."""
    view = View(file)
    if view.size < 52 or view.read(0, 4) != b"\x7fELF":
        raise BadBinary("not-elf")
    bits, order = {1: 32, 2: 64}.get(view.read(4, 1)[0]), {1: "<", 2: ">"}.get(view.read(5, 1)[0])
    if bits is None or order is None:
        raise BadBinary("not-elf", "class or byte order")
    view.order = "<" if order == "<" else ">"
    machine = view.u16(18)
    segments = tuple(_segments(view, bits))
    table = _Table(view, bits, segments)
    return Elf(
        machine=MACHINES.get(machine, f"machine {machine}"),
        bits=bits,
        soname=next(iter(table.texts(SONAME)), None),
        needed=table.texts(NEEDED),
        rpath=_folders(table.texts(RPATH)),
        runpath=_folders(table.texts(RUNPATH)),
        interpreter=next((view.text(s.offset) for s in segments if s.kind == INTERPRETER), None),
        wants=tuple(table.wants()),
        defines=tuple(table.defines()),
    )


def _folders(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part for text in texts for part in text.split(":") if part)


def _segments(view: View, bits: int) -> Iterator[_Segment]:
    at = view.u64(32) if bits == 64 else view.u32(28)
    width, count = view.unpack("HH", 54 if bits == 64 else 42)
    for row in range(count):
        base = at + width * row
        if bits == 64:
            offset, address, _, size = view.unpack("QQQQ", base + 8)
        else:
            offset, address, _, size = view.unpack("IIII", base + 4)
        yield _Segment(view.u32(base), offset, address, size)


class _Table:
    """The dynamic section: pairs of tag and value."""

    def __init__(self, view: View, bits: int, segments: tuple[_Segment, ...]) -> None:
        self._view = view
        self._segments = segments
        layout, width = ("QQ", 16) if bits == 64 else ("II", 8)
        self._rows: list[tuple[int, int]] = []
        for segment in (s for s in segments if s.kind == DYNAMIC):
            for row in range(min(ROWS_MOST, segment.size // width)):
                tag, value = view.unpack(layout, segment.offset + width * row)
                if not tag:
                    break
                self._rows.append((tag, value))
        strings = self._first(STRINGS)
        self._strings = self._offset(strings) if strings is not None else None

    def _first(self, tag: int) -> int | None:
        return next((value for t, value in self._rows if t == tag), None)

    def _offset(self, address: int) -> int:
        for s in self._segments:
            if s.kind == LOAD and s.address <= address < s.address + s.size:
                return s.offset + address - s.address
        raise BadBinary("bad-address", f"{address:#x}")

    def _text(self, index: int) -> str:
        if self._strings is None:
            raise BadBinary("bad-address", "no string table")
        return self._view.text(self._strings + index)

    def texts(self, tag: int) -> tuple[str, ...]:
        return tuple(self._text(value) for t, value in self._rows if t == tag)

    def wants(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        for at in self._chain(WANTED, WANTED_COUNT, next_at=12):
            _, count, library, first = self._view.unpack("HHII", at)
            names = [self._text(self._view.u32(a + 8)) for a in self._links(at + first, count, 12)]
            yield self._text(library), tuple(names)

    def defines(self) -> Iterator[str]:
        for at in self._chain(DEFINED, DEFINED_COUNT, next_at=16):
            _, flags, _, count, _, first = self._view.unpack("HHHHII", at)
            if count and not flags & BASE_VERSION:
                yield self._text(self._view.u32(at + first))

    def _chain(self, tag: int, count_tag: int, next_at: int) -> Iterator[int]:
        address = self._first(tag)
        if address is not None:
            yield from self._links(self._offset(address), self._first(count_tag) or 0, next_at)

    def _links(self, at: int, count: int, next_at: int) -> Iterator[int]:
        """Yield the offsets of a linked list of `count` records whose `next_at` holds the step, 0 at the end."""
        if count > ROWS_MOST:
            raise BadBinary("endless-table", "symbol versions")
        for _ in range(count):
            yield at
            step = self._view.u32(at + next_at)
            if not step:
                return
            at += step
