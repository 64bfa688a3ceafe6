"""Plots that are well formed whatever they are given, with the values in words."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from trueup.report.plots import Bar, Series, bars, lines

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=12)
NUMBERS = st.floats(0, 1e9, allow_nan=False)


def parsed(text: str) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314  # our own text


def shapes(page: ET.Element, name: str) -> int:
    return sum(part.tag.endswith(name) for part in page.iter())


@given(st.lists(st.tuples(WORDS, st.none() | st.floats(-1, 5), WORDS), max_size=8))
def test_bars_hold_any_words_and_shares(rows: list[tuple[str, float | None, str]]) -> None:
    page = parsed(bars("<title> & more", [Bar(*row) for row in rows], "foot"))
    drawn = sum(part is not None for _, part, _ in rows)
    assert shapes(page, "}rect") == 1 + 2 * drawn
    widths = [float(part.get("width", "0")) for part in page.iter() if part.tag.endswith("}rect")]
    assert all(0 <= width <= 860 for width in widths)


@given(
    st.lists(
        st.tuples(WORDS, st.lists(st.tuples(st.floats(1, 1e6), NUMBERS), min_size=1, max_size=6)), max_size=4
    )
)
def test_lines_stay_on_the_page(series: list[tuple[str, list[tuple[float, float]]]]) -> None:
    page = parsed(lines("title", [Series(name, tuple(points)) for name, points in series], "batch", "MB"))
    for part in page.iter():
        for place in (part.get("points") or "").split():
            x, y = map(float, place.split(","))
            assert -10 <= x <= 900
            assert -10 <= y <= 400


def test_values_are_told_in_words() -> None:
    text = lines("title", [Series("FP32", ((32, 410.0), (64, 800.0)))], "batch", "MB")
    assert "FP32: 32 410, 64 800" in text
