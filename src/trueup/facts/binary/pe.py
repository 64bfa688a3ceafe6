"""Windows PE: what a DLL, an extension module or a program imports, exports and calls itself.

Reads headers, the section table and the data directories only: a 600 MB module costs a few KB.
Import tables say nothing of what is loaded by name at run time (all of TensorFlow's CUDA libraries).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from trueup.facts.binary.resource import fixed_version
from trueup.facts.binary.view import BadBinary, View

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from typing import BinaryIO

MACHINES = {0x8664: "x86_64", 0x14C: "x86", 0xAA64: "arm64"}
EXPORTS, IMPORTS, RESOURCES, DELAY_IMPORTS = 0, 1, 2, 13
DLLS_MOST = 4096
NAMES_MOST = 1 << 20


class Section(NamedTuple):
    size: int
    address: int
    raw_size: int
    raw_at: int


@dataclass(frozen=True, slots=True)
class Import:
    """One DLL that a file imports. `name` is lower case, as Windows compares; a symbol may be `#ordinal`."""

    name: str
    delayed: bool = False
    symbols: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Export:
    """A symbol on offer; `forward` is `OTHERDLL.symbol` where the work is passed on."""

    name: str
    ordinal: int
    forward: str | None = None


class Pe:
    """A PE file over an open binary file; each question reads only what it needs."""

    def __init__(self, file: BinaryIO) -> None:
        view = self._view = View(file)
        start = view.u32(0x3C) if view.size > 0x40 and view.read(0, 2) == b"MZ" else -1
        if start < 0 or start + 24 > view.size or view.read(start, 4) != b"PE\0\0":
            raise BadBinary("not-pe")
        machine, sections = view.unpack("HH", start + 4)
        optional_size, flags = view.unpack("HH", start + 20)
        self.machine = MACHINES.get(machine, f"{machine:#x}")
        self.is_dll = bool(flags & 0x2000)
        optional = start + 24
        magic = view.u16(optional)
        if magic not in (0x10B, 0x20B):
            raise BadBinary("not-pe", f"optional header {magic:#x}")
        self._plus = magic == 0x20B
        self._base = view.u64(optional + 24) if self._plus else view.u32(optional + 28)
        self._headers = view.u32(optional + 60)
        self._directories = optional + (112 if self._plus else 96)
        self._directory_count = min(16, view.u32(self._directories - 4))
        self._sections_at = (optional + optional_size, sections)

    @cached_property
    def _sections(self) -> list[Section]:
        at, count = self._sections_at
        return [Section(*self._view.unpack("IIII", at + 40 * i + 8)) for i in range(count)]

    def _directory(self, number: int) -> tuple[int, int]:
        """Return address and size of a data directory; zeros where there is none."""
        if number >= self._directory_count:
            return 0, 0
        address, size = self._view.unpack("II", self._directories + 8 * number)
        return address, size

    def _offset(self, address: int) -> int:
        """Return where in the file a relative virtual address lies."""
        if 0 <= address < self._headers:
            return address
        for section in self._sections:
            if section.address <= address < section.address + max(section.size, section.raw_size):
                return section.raw_at + address - section.address
        raise BadBinary("bad-address", f"{address:#x}")

    def _text(self, address: int) -> str:
        return self._view.text(self._offset(address))

    def imports(self, *, symbols: bool = False, of: Container[str] | None = None) -> tuple[Import, ...]:
        """Return imported and delay-imported DLLs, in the file's order; with symbols, of all or of some."""
        found = []
        for at, thunks, delayed in (*self._import_rows(), *self._delay_rows()):
            name = self._text(at).lower()
            asked = symbols and (of is None or name in of)
            found.append(Import(name, delayed, self._symbols(thunks) if asked else ()))
        return tuple(found)

    def _import_rows(self) -> Iterator[tuple[int, int, bool]]:
        address, _ = self._directory(IMPORTS)
        for row in range(DLLS_MOST if address else 0):
            lookup, _, _, name, bound = self._view.unpack("IIIII", self._offset(address + 20 * row))
            if not name:
                return
            yield name, lookup or bound, False  # old linkers leave the lookup table out
        if address:
            raise BadBinary("endless-table", "imports")

    def _delay_rows(self) -> Iterator[tuple[int, int, bool]]:
        address, _ = self._directory(DELAY_IMPORTS)
        for row in range(DLLS_MOST if address else 0):
            flags, name, _, _, lookup = self._view.unpack("IIIII", self._offset(address + 32 * row))
            if not name:
                return
            base = 0 if flags & 1 else self._base  # without the bit, addresses are absolute (old linkers)
            yield name - base, lookup - base, True
        if address:
            raise BadBinary("endless-table", "delay imports")

    def _symbols(self, thunks: int) -> tuple[str, ...]:
        layout, width, ordinal = ("Q", 8, 1 << 63) if self._plus else ("I", 4, 1 << 31)
        found: list[str] = []
        for row in range(NAMES_MOST):
            value = self._view.unpack(layout, self._offset(thunks + width * row))[0]
            if not value:
                return tuple(found)
            found.append(f"#{value & 0xFFFF}" if value & ordinal else self._text((value & 0x7FFFFFFF) + 2))
            self._view.spend(width)
        raise BadBinary("endless-table", "symbols")

    def exports(self) -> tuple[Export, ...]:
        """Return what is exported by name, in the file's order (sorted by name, by the format)."""
        address, size = self._directory(EXPORTS)
        if not address:
            return ()
        table = self._offset(address)
        base, functions, names = self._view.unpack("III", table + 16)
        if max(functions, names) > NAMES_MOST:
            raise BadBinary("endless-table", "exports")
        functions_at, names_at, ordinals_at = map(self._offset, self._view.unpack("III", table + 28))
        found = []
        for row in range(names):
            name = self._text(self._view.u32(names_at + 4 * row))
            index = self._view.u16(ordinals_at + 2 * row)
            target = self._view.u32(functions_at + 4 * index) if index < functions else 0
            forward = self._text(target) if address <= target < address + size else None
            found.append(Export(name, base + index, forward))
        return tuple(found)

    def lacks(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return which names (or `#ordinal`) are not exported, by halving the sorted table as the loader does.

        A module of 45,000 exports of which one is asked for costs some reads of it.
        """
        address, _ = self._directory(EXPORTS)
        if not address:
            return tuple(names)
        table = self._offset(address)
        base, functions, count = self._view.unpack("III", table + 16)
        names_at = self._offset(self._view.u32(table + 32)) if count else 0

        def has(name: str) -> bool:
            if name.startswith("#"):
                return 0 <= int(name[1:]) - base < functions
            low, high = 0, count
            while low < high:
                middle = (low + high) // 2
                found = self._text(self._view.u32(names_at + 4 * middle))
                if found == name:
                    return True
                low, high = (middle + 1, high) if found < name else (low, middle)
            return False

        return tuple(name for name in names if not has(name))

    def file_version(self) -> str | None:
        """Return the version resource's FileVersion, "14.42.34433.0"; None without one."""
        address, _ = self._directory(RESOURCES)
        return fixed_version(self._view, self._offset(address), self._offset) if address else None


def dll_names(file: BinaryIO) -> tuple[str, ...]:
    """Return the DLL names that a PE file imports or delay-imports, lower case, each once."""
    return tuple(dict.fromkeys(row.name for row in Pe(file).imports()))
