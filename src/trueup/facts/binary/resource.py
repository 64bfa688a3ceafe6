"""The version in a PE file's resources."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.facts.binary.view import View

VERSION_TYPE = 16
SIGNATURE = struct.pack("<I", 0xFEEF04BD)
BLOCK_MOST = 4096  # the fixed part lies within the first 100 bytes
SUBTREE = 1 << 31


def fixed_version(view: View, root: int, offset: Callable[[int], int]) -> str | None:
    """Return the fixed file version, four numbers, of a resource tree at file offset `root`."""
    node = _child(view, root, SUBTREE, VERSION_TYPE)
    for _ in range(2):  # name, then language: the first of each
        node = _child(view, root, node, None)
    if node is None or node & SUBTREE:
        return None
    address, size = view.unpack("II", root + node)
    block = view.read(offset(address), min(size, BLOCK_MOST))
    at = block.find(SIGNATURE)
    if at < 0 or at + 16 > len(block):
        return None
    high, low = struct.unpack_from("<II", block, at + 8)
    return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"


def _child(view: View, root: int, node: int | None, wanted: int | None) -> int | None:
    """Return the offset word of an entry of the directory `node`: the one of that id, or the first."""
    if node is None or not node & SUBTREE:
        return None
    at = root + (node & ~SUBTREE)
    named, numbered = view.unpack("HH", at + 12)
    for row in range(named + numbered):
        identity, target = view.unpack("II", at + 16 + 8 * row)
        if wanted is None or identity == wanted:
            return target
    return None
