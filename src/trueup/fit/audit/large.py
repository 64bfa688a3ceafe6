"""Of a text too large for a tutorial, the stretches that name something which can be judged."""

from __future__ import annotations

import re
from string import ascii_uppercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LARGE = 1_000_000  # characters: what people write is smaller
AROUND = 300
MOST = 400_000  # characters that are judged of it
# An image as text, a program without spaces: nothing that a person wrote has so long a word.
WORDLESS = re.compile(r"[!-~]{3000,}")
# Letters that grow in lower case would move all behind them: there only these are folded.
SMALL = {ord(letter): letter.lower() for letter in ascii_uppercase}
NAMES = (
    "tensorflow", "torch", "paddle", "onnxruntime", "jax", "cuda", "cudnn", "python", "driver", "驱动", "pip", "conda ",
    "mppreference", "realtimemonitoring", "defender", "杀毒", "antivirus", "anti-virus", "实时保护", "mklink", "setx", "studio",
    "invalid compressed", "zlibwapi", "system32", "syswow64", "kmp_duplicate", ".dll", "apt install", "apt-get", "gtx", "rtx",
)  # fmt: skip


def stretches(text: str) -> tuple[tuple[tuple[int, int], ...], bool]:
    """Return the bounds of what is judged, and whether something beyond them was left out."""
    if len(text) <= LARGE:
        return tuple(_worded(text, 0, len(text))), False
    joined: list[tuple[int, int]] = []
    taken = 0
    for start, end in _joined(_hits(text), len(text)):
        for first, last in _worded(text, start, end):
            if taken + last - first > MOST:
                return (*joined, (first, first + MOST - taken)), True
            joined.append((first, last))
            taken += last - first
    return tuple(joined), False


def _worded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a stretch without the runs in it that hold no words."""
    for run in WORDLESS.finditer(text, start, end):
        if run.start() > start:
            yield start, run.start()
        start = run.end()
    if end > start:
        yield start, end


def _hits(text: str) -> list[int]:
    lower = text.lower()
    searched = lower if len(lower) == len(text) else text.translate(SMALL)
    found: set[int] = set()
    for name in NAMES:
        at = searched.find(name)
        while at >= 0:
            found.add(at)
            at = searched.find(name, at + AROUND)
    return sorted(found)


def _joined(hits: list[int], end: int) -> Iterator[tuple[int, int]]:
    """Yield what lies around the hits, one stretch where they touch."""
    first = last = -1
    for hit in hits:
        if first >= 0 and hit - AROUND > last:
            yield first, last
            first = -1
        first = max(hit - AROUND, 0) if first < 0 else first
        last = min(hit + 2 * AROUND, end)
    if first >= 0:
        yield first, last
