"""Lines and bars as pictures, each with its numbers as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.report.html.markup import Html, Part, details, el, join, table, words

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH, HEIGHT = 400, 170
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 14, 26
ROWS = 20  # of the table beside a picture
POINTS = 240


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a chart; `points` are (x, y), y None where nothing is known: the line has a gap there."""

    name: Part
    points: Sequence[tuple[float, float | None]]


def thinned(points: Sequence[tuple[float, float | None]], most: int) -> list[tuple[float, float | None]]:
    every = -(-len(points) // most) or 1
    return [*points[:-1:every], *points[-1:]]


def line_chart(
    ident: str,
    title: Part,
    lines: Sequence[Line],
    x_name: Part,
    *,
    least: float | None = None,
    most: float | None = None,
) -> Html:
    """Return a figure, or nothing where no line has a value."""
    known = [y for line in lines for _, y in line.points if y is not None]
    if not known:
        return Html()
    low = min(known) if least is None else least
    high = max(known) if most is None else max(most, *known)
    high = high if high > low else low + 1
    ends = [x for line in lines for x, _ in line.points]
    scale = _Scale(min(ends), max(*ends, min(ends) + 1e-9), low, high)
    drawn = [part for number, line in enumerate(lines) for part in scale.line(line, number)]
    picture = el("svg", scale.axes(), *drawn, **_svg(ident))
    legend = _legend(lines) if len(lines) > 1 else None
    return el("figure", el("figcaption", title, id=ident), picture, legend, _numbers(lines, title, x_name))


def _svg(ident: str) -> dict[str, str]:
    return {"viewBox": f"0 0 {WIDTH} {HEIGHT}", "role": "img", "aria_labelledby": ident, "class_": "chart"}


@dataclass(frozen=True, slots=True)
class _Scale:
    first: float
    last: float
    low: float
    high: float

    def x(self, value: float) -> float:
        return round(LEFT + (value - self.first) / (self.last - self.first) * (WIDTH - LEFT - RIGHT), 1)

    def y(self, value: float) -> float:
        share = min(max((value - self.low) / (self.high - self.low), 0), 1)
        return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM), 1)

    def axes(self) -> Html:
        parts = []
        for value in (self.low, (self.low + self.high) / 2, self.high):
            place = self.y(value)
            parts.append(el("line", x1=LEFT, x2=WIDTH - RIGHT, y1=place, y2=place, class_="grid"))
            parts.append(el("text", short(value), x=LEFT - 6, y=place + 4, class_="y"))
        for value, side in ((self.first, "start"), (self.last, "end")):
            parts.append(el("text", short(value), x=self.x(value), y=HEIGHT - 8, class_=f"x {side}"))
        return join(parts)

    def line(self, line: Line, number: int) -> list[Html]:
        """Return the pieces between gaps."""
        pieces: list[list[str]] = [[]]
        for x, y in thinned(line.points, POINTS):
            if y is None:
                pieces.append([])
            else:
                pieces[-1].append(f"{self.x(x)},{self.y(y)}")
        return [
            el(
                "polyline",
                points=" ".join(piece if len(piece) > 1 else piece * 2),
                class_=f"line line-{number}",
            )
            for piece in pieces
            if piece
        ]


def short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _legend(lines: Sequence[Line]) -> Html:
    entries = []
    for number, line in enumerate(lines):
        sample = el("line", x1=0, x2=32, y1=6, y2=6, class_=f"line line-{number}")
        picture = el("svg", sample, viewBox="0 0 32 12", class_="key", aria_hidden="true")
        entries.append(el("li", picture, line.name))
    return el("ul", *entries, class_="legend")


def _numbers(lines: Sequence[Line], title: Part, x_name: Part) -> Html:
    columns = [dict(line.points) for line in lines]
    places = [x for x, _ in thinned([(x, None) for x in sorted({x for one in columns for x in one})], ROWS)]
    rows = [[short(x), *(_cell(one.get(x)) for one in columns)] for x in places]
    heads = [x_name, *(line.name for line in lines)]
    return details(words("numbers"), table(heads, rows, title, class_="numbers"))


def _cell(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def bar_chart(ident: str, title: Part, bars: Sequence[tuple[Part, float, str]], unit: Part) -> Html:
    """Return bars with their values: (name, value, kind)."""
    most = max((value for _, value, _ in bars), default=0) or 1
    row, left, end = 30, 130, 60
    parts: list[Html] = []
    for number, (name, value, kind) in enumerate(bars):
        top = number * row + 4
        width = max(2.0, round(value / most * (WIDTH - left - end), 1))
        parts.append(_label(name, top + 15, left))
        parts.append(el("rect", x=left, y=top, width=width, height=row - 8, rx=3, class_=f"bar {kind}"))
        parts.append(el("text", short(value), x=left + width + 6, y=top + 15, class_="value"))
    shape = {**_svg(ident), "viewBox": f"0 0 {WIDTH} {len(bars) * row + 4}"}
    rows = [[name, short(value)] for name, value, _ in bars]
    numbers = details(words("numbers"), table([title, unit], rows, title, class_="numbers"))
    return el("figure", el("figcaption", title, id=ident), el("svg", *parts, **shape), numbers)


def _label(name: Part, y: float, left: int) -> Html:
    """Return the name left of a bar; in each language where it comes as spans."""
    made = join([name])
    if not made.startswith("<span"):
        return el("text", made, x=left - 8, y=y, class_="label")
    return Html(
        made.replace("<span ", f'<text x="{left - 8}" y="{y}" class="label" ').replace("</span>", "</text>")
    )
