"""The libraries and modules inside a wheel: what each needs, and for which GPUs it holds code."""

from __future__ import annotations

import re
import tempfile
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from packaging.version import Version

from trueup.facts.binary import BadBinary, GpuModules, Pe, kind_of, read_elf, scan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.facts.harvest.wheel import Wheel

BINARY = re.compile(r".*\.(dll|pyd|exe|so(\.\d+)*)", re.IGNORECASE)
IN_MEMORY = 32 << 20
# What cards can be; code for the GPUs of boards (5.3, 7.2, 8.7 ...) runs on no card.
CARDS = (
    *("3.0", "3.5", "3.7", "5.0", "5.2", "6.0", "6.1", "7.0", "7.5"),
    *("8.0", "8.6", "8.9", "9.0", "10.0", "10.3", "12.0", "12.1"),
)
LATER = "99.0"  # a card that nobody made code for: it lives on PTX alone


def is_binary(member: str) -> bool:
    return BINARY.fullmatch(member) is not None


def read_binary(wheel: Wheel, member: str) -> dict[str, Any] | None:
    """Return a row on a member; None for what only looks like a library. The member is unpacked once."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
        stream = wheel.chunks(member)
        first = next(stream, b"")
        kind = kind_of(first)
        if kind is None:
            return None
        row: dict[str, Any] = {"member": member, "size": wheel.size_of(member), "kind": kind}
        try:
            modules = scan(_copied(first, stream, file))
            for _ in stream:  # the scan may end early; the checksum stands at the end
                pass
            row |= {"gpu_code": gpu_code(modules)} if modules.count else {}
            row |= _pe(cast("BinaryIO", file)) if kind == "pe" else _elf(cast("BinaryIO", file))
        except BadBinary as error:
            row["unreadable"] = error.reason
        return row


def _copied(first: bytes, rest: Iterable[bytes], file: Any) -> Iterator[bytes]:
    file.write(first)
    yield first
    for chunk in rest:
        file.write(chunk)
        yield chunk


def _pe(file: BinaryIO) -> dict[str, Any]:
    pe = Pe(file)
    found = {"machine": pe.machine, "needs": sorted({row.name for row in pe.imports()})}
    version = pe.file_version()
    return found | ({"version": version} if version else {})


def _elf(file: BinaryIO) -> dict[str, Any]:
    elf = read_elf(file)
    found: dict[str, Any] = {"machine": elf.machine, "needs": sorted(set(elf.needed))}
    for prefix in ("GLIBC", "GLIBCXX", "CXXABI"):
        if newest := _newest(prefix, elf.wants):
            found[prefix.lower()] = newest
    folders = [*elf.rpath, *elf.runpath]
    return found | ({"runpath": folders} if folders else {}) | ({"soname": elf.soname} if elf.soname else {})


def _newest(prefix: str, wants: Iterable[tuple[str, tuple[str, ...]]]) -> str | None:
    """Return the newest symbol version of a family: what the machine must have at least."""
    names = (name for _, versions in wants for name in versions)
    matches = (re.fullmatch(rf"{prefix}_(\d+(?:\.\d+)*)", name) for name in names)
    return max((found[1] for found in matches if found), key=Version, default=None)


def gpu_code(modules: GpuModules) -> dict[str, Any]:
    """Return modules in all, how many hold what, and [native, PTX, nothing] for each kind of card."""
    return {
        "modules": modules.count,
        "sass": modules.modules_with("sass"),
        "ptx": modules.modules_with("ptx"),
        "reach": {card: list(modules.reach(card)) for card in (*CARDS, LATER)},
    }
