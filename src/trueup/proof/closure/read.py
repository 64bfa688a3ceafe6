"""One binary of the set, read: its machine, what it imports, what it offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.facts.binary import BadBinary, Pe, kind_of, read_elf

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from trueup.facts.model import Platform
    from trueup.proof.closure.model import File

Imports = tuple[tuple[str, tuple[str, ...]], ...]  # (library, symbols or symbol versions)


@dataclass(frozen=True, slots=True)
class Binary:
    """`imports` name libraries; on Linux the symbols are versions, such as `GLIBC_2.17`."""

    file: File
    machine: str
    imports: Imports
    soname: str | None = None
    defines: tuple[str, ...] = ()


def read(file: File, os: Platform, own: Container[str]) -> Binary | None:
    """Read a file whose symbols matter where they come from `own`; None for what is no binary of this OS.

    Raises BadBinary for one that is broken.
    """
    if file.open is None:
        return None
    with file.open() as stream:
        kind = kind_of(stream.read(4))
        if kind != ("pe" if os == "windows" else "elf"):
            if kind is None and file.base.lower().endswith((".dll", ".pyd")):
                raise BadBinary("not-pe")
            return None
        if kind == "pe":
            pe = Pe(stream)
            rows = pe.imports(symbols=True, of=own)
            return Binary(file, pe.machine, tuple((row.name, row.symbols) for row in rows))
        elf = read_elf(stream)
        wants = dict(elf.wants)
        needed = tuple((name, wants.get(name, ())) for name in elf.needed)
        return Binary(file, elf.machine, needed, elf.soname, elf.defines)


def lacks(library: Binary, symbols: Iterable[str], os: Platform) -> tuple[str, ...]:
    """Return the symbols (Linux: symbol versions) that a library does not offer."""
    if os == "linux":
        offered = set(library.defines)
        return tuple(s for s in symbols if s not in offered)
    assert library.file.open is not None  # noqa: S101  # it was read
    with library.file.open() as stream:
        return Pe(stream).lacks(symbols)
