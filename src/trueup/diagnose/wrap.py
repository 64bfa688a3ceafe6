"""Lines that a terminal or a mail program broke, put together again."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Lines = Sequence[tuple[int, str]]

NARROWEST, SHORTEST_CUT = 60, 40
TERMINALS = (79, 80, 100, 120, 132)
TIMES = 3  # lines of one length and none longer are a terminal's doing, not chance
MOST_PARTS = 40  # of one line
ENDS, GOES_ON = re.compile(r"[\w.,'\"/\\:(\[-]$"), re.compile(r"[\w.,'\"/\\:)\]-]")


def joins(first: str, second: str) -> tuple[str, ...]:
    """Return the two lines as one: broken between words, and where that may be, within a word."""
    apart = f"{first.strip()} {second.strip()}"
    cut = len(first) >= SHORTEST_CUT and ENDS.search(first) and GOES_ON.match(second)
    return (apart, f"{first.strip()}{second}") if cut else (apart,)


def unwrapped(lines: Lines, *, quoted: bool = False) -> Iterator[tuple[int, str]]:
    """Yield the lines that were broken as they were printed, under their first number.

    A terminal breaks at its width, within a word; mail, whose lines are `quoted`, where the next word has no place.
    """
    width = _width(lines, quoted=quoted)
    parts: list[str] = []
    start = 0
    following = (*(text for _, text in lines[1:]), "")
    for (number, text), ahead in zip(lines, following, strict=True) if width else ():
        start = start if parts else number
        filled = len(text) >= width - 1
        word = quoted and not filled and ahead and len(text) + 1 + len(ahead.split(" ", 1)[0]) > width
        parts.append(f"{text} " if word else text.ljust(width) if len(text) == width - 1 else text)
        if (filled or word) and ahead and len(parts) < MOST_PARTS:
            continue
        if len(parts) > 1:
            whole = dict.fromkeys(
                ("".join(parts).rstrip(), " ".join(map(str.rstrip, parts)) if quoted else "")
            )
            yield from ((start, one) for one in whole if one)
        parts = []


def _width(lines: Lines, *, quoted: bool) -> int:
    """Return the width at which lines were broken; 0 where no line shows one."""
    counts = Counter(len(text) for _, text in lines)
    longest = max(counts, default=0)
    sure = quoted or longest in TERMINALS or counts[longest] >= TIMES
    return longest if longest >= NARROWEST and sure else 0
