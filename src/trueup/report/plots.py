"""Plots as SVG text, made of a few shapes: no library, no network, light and dark, with a text for screen readers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WIDTH, LABEL, NOTE = 860, 260, 210
ROW, TOP, BOTTOM = 30, 56, 16
STYLE = """
 text{font:14px system-ui,"Segoe UI","Microsoft YaHei",sans-serif;fill:#1a1d21}
 .title{font-size:17px;font-weight:600} .soft{fill:#565d66} .axis{stroke:#8a929c;stroke-width:1}
 .good{fill:#1f7a4d} .low{fill:#b4541a} .plain{fill:#3867b5} .back{fill:#e7eaee} .page{fill:#fff}
 .line0{stroke:#3867b5} .line1{stroke:#b4541a} .line2{stroke:#1f7a4d} .line3{stroke:#7a4bb0}
 .line{fill:none;stroke-width:2.5} .dot0{fill:#3867b5} .dot1{fill:#b4541a} .dot2{fill:#1f7a4d} .dot3{fill:#7a4bb0}
 @media (prefers-color-scheme:dark){text{fill:#e8eaed} .soft{fill:#a7afb9} .page{fill:#16181c} .back{fill:#2b3036}
 .good{fill:#4fbf85} .low{fill:#e8935a} .plain,.dot0{fill:#7ea6e8} .line0{stroke:#7ea6e8}
 .line1{stroke:#e8935a} .dot1{fill:#e8935a} .line2{stroke:#4fbf85} .dot2{fill:#4fbf85}
 .line3{stroke:#b892e6} .dot3{fill:#b892e6}}
"""
SHAPES = ("circle", "square", "diamond", "triangle")


@dataclass(frozen=True, slots=True)
class Bar:
    """`part` from 0 to 1 of the whole width; None draws no bar. `kind`: good, low or plain."""

    label: str
    part: float | None
    note: str
    kind: str = "plain"


@dataclass(frozen=True, slots=True)
class Series:
    label: str
    points: tuple[tuple[float, float], ...]


def bars(title: str, rows: Sequence[Bar], foot: str = "") -> str:
    """Return horizontal bars, one a row, each with its value in words."""
    height = TOP + ROW * len(rows) + BOTTOM + (24 if foot else 0)
    parts = [_title(title)]
    for number, row in enumerate(rows):
        parts += _bar(row, TOP + ROW * number)
    if foot:
        parts.append(_text(16, height - 12, foot, "soft"))
    told = "; ".join(f"{row.label}: {row.note}" for row in rows)
    return _page(height, title, told, parts)


def _bar(row: Bar, y: int) -> Iterator[str]:
    room = WIDTH - LABEL - NOTE - 24
    yield _text(16, y + 18, row.label)
    if row.part is not None:
        part = min(max(row.part, 0.0), 1.0)
        yield _box(LABEL, y + 5, room, "back")
        yield _box(LABEL, y + 5, room * part, row.kind)
    yield _text(WIDTH - NOTE, y + 18, row.note, "soft")


def lines(title: str, series: Sequence[Series], across: str, up: str) -> str:
    """Return lines over a logarithmic axis to the right, from zero upwards; each has a shape beside its colour."""
    height, left, right, top = 400, 80, WIDTH - 24, 84
    floor = height - 56
    points = [point for one in series for point in one.points]
    if not points:
        return _page(height, title, "", [_title(title)])
    low, high = (limit(x for x, _ in points) for limit in (min, max))
    most = max(y for _, y in points) or 1.0

    def place(x: float, y: float) -> tuple[float, float]:
        across_ = (math.log(x) - math.log(low)) / ((math.log(high) - math.log(low)) or 1.0)
        return left + across_ * (right - left), floor - y / most * (floor - top)

    parts = [_title(title), *_axes(left, right, top, floor)]
    marks = sorted({x for x, _ in points})
    parts += [_text(place(x, 0)[0], floor + 20, f"{x:g}", "soft", "middle") for x in marks]
    heights = (0.0, most / 2, most)
    parts += [_text(left - 8, place(low, y)[1] + 5, f"{y:.3g}", "soft", "end") for y in heights]
    parts.append(_text((left + right) / 2, height - 12, across, "soft", "middle"))
    parts.append(_text(16, 54, up, "soft"))
    for number, one in enumerate(series):
        parts += _line(number, one, [place(x, y) for x, y in one.points])
    told = "; ".join(f"{one.label}: " + ", ".join(f"{x:g} {y:.3g}" for x, y in one.points) for one in series)
    return _page(height, title, told, parts)


def _line(number: int, one: Series, places: list[tuple[float, float]]) -> Iterator[str]:
    hue, x = number % 4, 200 + 165 * (number % 4)
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    yield f'<polyline class="line line{hue}" points="{path}"/>'
    yield from (_dot(hue, *place) for place in places)
    yield _dot(hue, x - 12, 49)
    yield _text(x, 54, one.label)


def _dot(hue: int, x: float, y: float) -> str:
    shape, css = SHAPES[hue], f'class="dot{hue}"'
    if shape == "circle":
        return f'<circle {css} cx="{x:.1f}" cy="{y:.1f}" r="5"/>'
    turned = {
        "square": [(-4, -4), (4, -4), (4, 4), (-4, 4)],
        "diamond": [(0, -6), (6, 0), (0, 6), (-6, 0)],
        "triangle": [(0, -6), (6, 5), (-6, 5)],
    }[shape]
    corners = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in turned)
    return f'<polygon {css} points="{corners}"/>'


def _axes(left: float, right: float, top: float, floor: float) -> Iterator[str]:
    yield f'<line class="axis" x1="{left}" y1="{floor}" x2="{right}" y2="{floor}"/>'
    yield f'<line class="axis" x1="{left}" y1="{top}" x2="{left}" y2="{floor}"/>'


def _page(height: int, title: str, told: str, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-labelledby="title told">'
    )
    words = f'<title id="title">{escape(title)}</title><desc id="told">{escape(told)}</desc>'
    page = f'<rect class="page" width="{WIDTH}" height="{height}"/>'
    return "\n".join([head, words, f"<style>{STYLE}</style>", page, *parts, "</svg>"]) + "\n"


def _title(text: str) -> str:
    return _text(16, 30, text, "title")


def _text(x: float, y: float, text: str, css: str = "", anchor: str = "start") -> str:
    kind = f' class="{css}"' if css else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _box(x: float, y: float, width: float, css: str) -> str:
    return f'<rect class="{css}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" rx="3"/>'
