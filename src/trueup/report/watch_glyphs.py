"""What a terminal can draw: bars, graphs and rules, down to plain ASCII."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size

if TYPE_CHECKING:
    from collections.abc import Sequence

# Where a Chinese, Japanese or Korean code page rules, old consoles draw block letters two columns wide.
WIDE_PAGES = ("936", "932", "949", "950", "gbk", "gb2312", "gb18030", "big5", "shift_jis", "euc", "johab")
PLAIN = {
    "“": '"',
    "”": '"',
    "°": "",
    "·": "|",
    "…": "~",
    "—": "-",
    "–": "-",
    "→": "->",
    "×": "x",
    "≥": ">=",
    "≤": "<=",
}


@dataclass(frozen=True, slots=True)
class Glyphs:
    """`levels`: a column of a graph from empty to full. `parts`: the last cell of a bar, by its filling."""

    levels: str
    parts: str
    full: str
    empty: str
    rule: str
    border: str
    more: str
    ascii: bool = False

    def plain(self, text: str) -> str:
        """Return a text with no letter that the terminal lacks; Chinese stays."""
        if not self.ascii:
            return text
        return "".join(PLAIN.get(letter, letter) for letter in text)


BLOCKS = Glyphs(" ▁▂▃▄▅▆▇█", " ▏▎▍▌▋▊▉", "█", "·", "─", "│", "…")
COARSE = Glyphs(" ▄█", " ▌", "█", "·", "─", "│", "…")  # in every font of Windows' old console
ASCII = Glyphs(" .:-=+*#", " ", "#", ".", "-", "|", "~", ascii=True)


def glyphs(encoding: str, *, old_console: bool, forced: bool = False) -> Glyphs:
    """Return the richest letters that a stream can hold. `old_console`: Windows' own, before Terminal."""
    name = encoding.lower()
    if forced or any(page in name for page in WIDE_PAGES):
        return ASCII
    wanted = COARSE if old_console else BLOCKS
    try:
        (wanted.levels + wanted.parts + wanted.empty + wanted.rule + wanted.more + "°").encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return wanted


def bar(percent: float | None, width: int, look: Glyphs) -> tuple[str, str]:
    """Return the filled and the empty part of a bar."""
    if percent is None:
        return "", look.empty * width
    eighths = max(0.0, min(100.0, percent)) / 100 * width
    whole = int(eighths)
    last = look.parts[int((eighths - whole) * len(look.parts))] if whole < width else ""
    filled = look.full * whole + last.strip()
    return filled, look.empty * (width - len(filled))


def graph(values: Sequence[float | None], width: int, height: int, look: Glyphs) -> list[str]:
    """Return lines from the top; the latest value at the right, 0 to 100 over the whole height."""
    shown = list(values[-width:]) if width > 0 else []
    columns = [None] * (width - len(shown)) + shown
    steps = len(look.levels) - 1
    lines = []
    for row in reversed(range(height)):
        cells = [_cell(value, row, height, steps) for value in columns]
        lines.append("".join(look.levels[cell] for cell in cells))
    return lines


def _cell(value: float | None, row: int, height: int, steps: int) -> int:
    if value is None:
        return 0
    filled = round(max(0.0, min(100.0, value)) / 100 * height * steps)
    if row == 0 and filled == 0:
        return 1  # a zero was read: that is not nothing
    return max(0, min(steps, filled - row * steps))


def cut(text: str, width: int, look: Glyphs) -> str:
    """Return a text of at most `width` columns; Chinese letters take two."""
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + look.more if width > 0 else ""


def padded(text: str, width: int, look: Glyphs) -> str:
    short = cut(text, width, look)
    return short + " " * (width - cell_len(short))
