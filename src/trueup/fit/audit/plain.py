"""Foreign text made plain, so that one pattern reads it: offsets lead back to what was written.

Tutorials come with traditional characters, with the reading of a character in brackets behind it, with
full-width letters and with typographic dashes. Nothing here changes what is quoted.
"""

from __future__ import annotations

import functools
import json
import re
import unicodedata
from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.fit.audit.large import stretches
from trueup.fit.audit.model import Place

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DATA = Path(__file__).with_name("data")
TONES = "āáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ"
# A converter wrote the reading behind the character: a bracket with one syllable and its tone.
READING = re.compile(rf"\((?=[^()]{{0,6}}[{TONES}])[a-z{TONES}ü]{{1,6}}\)")
DASHES = dict.fromkeys("‐‑‒–—―−～〜", "-")
QUOTES = {
    "“": '"',
    "”": '"',
    "‘": "'",
    "’": "'",
    "，": ",",
    "：": ":",
    "（": "(",
    "）": ")",
    "®": "",
    "™": "",
}
SENTENCE_END = re.compile(r"[。！？；\n]|[.!?;](?=\s)")
QUOTE_LENGTH = 160
LONG = 400


@functools.cache
def table(name: str) -> Any:
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


@functools.cache
def _characters() -> dict[str, str]:
    pairs: dict[str, str] = table("characters")["simplified"]
    return {**pairs, **DASHES, **QUOTES}


class Plain:
    """`text` is what the rules read; `original` what is quoted. `cells`: for each line its cell and line there.

    `whole`: a file with a form of its own, of which no part can be left out. `cut`: not all of the text is read.
    """

    def __init__(
        self, original: str, cells: tuple[tuple[int, int], ...] = (), *, whole: bool = False
    ) -> None:
        self.original = original
        spans, self.cut = (((0, len(original)),), False) if whole else stretches(original)
        self.text, self._offsets = _plain(original, spans)
        self._lines = [0, *(found.end() for found in re.finditer("\n", original))]
        self._cells = cells
        self._ends = [0, *(found.end() for found in SENTENCE_END.finditer(self.text)), len(self.text)]

    def place(self, start: int, end: int) -> Place:
        first, last = self._offsets[start], self._offsets[max(start, end - 1)] + 1
        number = bisect_right(self._lines, first)
        column = first - self._lines[number - 1] + 1
        quote = " ".join(self.original[first:last].split())
        if len(quote) > QUOTE_LENGTH:
            quote = quote[: QUOTE_LENGTH - 1] + "…"
        if self._cells:
            cell, line = self._cells[number - 1]
            return Place(line, column, quote, cell)
        return Place(number, column, quote)

    def sentence(self, position: int) -> tuple[int, int]:
        """Return the bounds of the sentence around a position; of one without end, what is near."""
        index = bisect_right(self._ends, position)
        start, end = self._ends[index - 1], self._ends[min(index, len(self._ends) - 1)]
        return max(start, position - LONG), min(end, position + LONG)

    def sentences(self) -> Iterator[tuple[int, int]]:
        for start, end in zip(self._ends, self._ends[1:], strict=False):
            if self.text[start:end].strip():
                yield start, end


def _plain(original: str, spans: tuple[tuple[int, int], ...]) -> tuple[str, Sequence[int]]:
    """Return the plain text of the stretches, each on lines of its own, and for each letter where it stood."""
    if original.isascii() and spans == ((0, len(original)),):
        return original, range(len(original) + 1)
    letters: list[str] = []
    offsets: list[int] = []
    for start, end in spans:
        if letters:
            letters.append("\n")
            offsets.append(start)
        _stretch(original, start, end, letters, offsets)
    offsets.append(len(original))
    return "".join(letters), offsets


def _stretch(original: str, start: int, end: int, letters: list[str], offsets: list[int]) -> None:
    skipped = {place for found in READING.finditer(original, start, end) for place in range(*found.span())}
    known = _characters()
    for place in range(start, end):
        if place in skipped:
            continue
        letter = original[place]
        made = known.get(letter)
        if made is None:
            made = letter if letter.isascii() else unicodedata.normalize("NFKC", letter)
        for part in made:
            letters.append(known.get(part, part))
            offsets.append(place)
