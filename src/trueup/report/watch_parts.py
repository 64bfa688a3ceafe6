"""The parts of a screen: rules, rows with bar and graph, and text that flows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.cells import cell_len

from trueup.report.watch_glyphs import bar, cut, graph, padded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.report.watch_glyphs import Glyphs

Piece = tuple[str, str]
Line = list[Piece]
BAR = 14  # columns at 80; an eighth more of what is beyond
LEAST_BAR, LEAST_GRAPH = 4, 16
NOTE = 14  # columns that a note takes at least
WIDE = 120  # columns from which two graphs stand side by side
HIGH = 95
CLOSING = "，。；：、？！”’）》"  # begin no line


@dataclass(frozen=True, slots=True)
class Row:
    """A label, a percentage as figure and bar, and a note."""

    label: str
    percent: float | None
    note: str = ""
    style: str = "cyan"
    warn: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """The past of one row, 0 to 100 from bottom to top."""

    label: str
    past: Sequence[float | None]
    style: str = "cyan"


def rule(title: str, width: int, look: Glyphs, end: str = "") -> Line:
    """Return a heading: a title in a line that reaches the right edge."""
    tail = f" {end} " if end else ""
    room = width - cell_len(tail) - 4
    text = f" {cut(title, room, look)} "
    rest = width - 2 - cell_len(text) - cell_len(tail)
    return [(look.rule * 2, "dim"), (text, "bold"), (look.rule * max(0, rest), "dim"), (tail, "dim")]


def block(
    rows: list[Row],
    graphs: list[Graph],
    width: int,
    look: Glyphs,
    size: tuple[int, int],
    *,
    under: Sequence[Piece] = (),
) -> list[Line]:
    """Return rows at the left and graphs beside them; `size` is (columns of the labels, lines).

    What is `under` the rows stands beside the graphs where these are tall, else below, over the whole width.
    """
    label, height = size
    bars = max(LEAST_BAR, BAR + min(0, width - 66)) + max(0, width - 80) // 8
    note = max(NOTE, *(cell_len(row.note) for row in rows))
    drawn = [one for one in graphs if any(value is not None for value in one.past)]
    drawn = drawn if width >= WIDE else drawn[:1]
    whole = width - (1 + label + 1 + 5 + 1 + bars + 1)
    drawn = drawn if whole - note - 1 >= LEAST_GRAPH else []
    room = whole - note - 1 if drawn else whole
    lines = [_row(row, (label, bars, note if drawn else room), look) for row in rows]
    beside = bool(drawn) and height > len(rows)
    if beside:
        lines += [_filled(line, width - room) for line in flow(under, width - room - 1, 1)]
    if drawn:
        height = max(height, len(lines))
        lines += [_filled([], width - room)] * (height - len(lines))
        for one in drawn:
            panel = _panel(one, room // len(drawn), height, look)
            lines = [line + part for line, part in zip(lines, panel, strict=True)]
    return lines if beside else [*lines, *flow(under, width, 1)]


def _filled(line: Line, width: int) -> Line:
    return [*line, (" " * (width - sum(cell_len(text) for text, _ in line)), "")]


def _row(row: Row, sizes: tuple[int, int, int], look: Glyphs) -> Line:
    label, bars, note = sizes
    percent = "  N/A" if row.percent is None else f"{row.percent:3.0f} %"
    style = "bold red" if row.warn else row.style
    filled, empty = bar(row.percent, bars, look)
    return [
        (" " + padded(row.label, label, look) + " ", ""),
        (percent + " ", style),
        (filled, style),
        (empty + " ", "dim"),
        (padded(row.note, note, look) + " ", ""),
    ]


def _panel(one: Graph, width: int, height: int, look: Glyphs) -> list[Line]:
    """Return a graph behind a border, with its label in the first line."""
    label = cell_len(one.label)
    lines = graph(one.past, max(0, width - label - 3), height, look)
    return [
        [
            (look.border, "dim"),
            (one.label if number == 0 else " " * label, "dim"),
            (" " + line + " ", one.style),
        ]
        for number, line in enumerate(lines)
    ]


def flow(pieces: Sequence[Piece], width: int, indent: int = 0) -> list[Line]:
    """Return pieces in lines, none broken that fits a line; longer ones break between words or letters."""
    lines: list[Line] = [[]]
    used = 0
    for text, style in pieces:
        for part in _broken(text, width - indent):
            gap = 2 if used else 0
            if used and used + gap + cell_len(part) > width - indent:
                lines.append([])
                used, gap = 0, 0
            lines[-1].append((" " * (gap or (0 if used else indent)) + part, style))
            used += gap + cell_len(part)
    return [line for line in lines if line]


def _broken(text: str, width: int) -> list[str]:
    parts: list[str] = []
    while cell_len(text) > width:
        end, columns, space = 0, 0, 0
        for end, letter in enumerate(text):
            columns += cell_len(letter)
            if columns > width:
                break
            if letter == " " or (cell_len(letter) == 2 and letter not in CLOSING):
                space = end
        end = space or max(1, end)
        parts.append(text[:end].rstrip())
        text = text[end:].lstrip()
    return [*parts, text]
