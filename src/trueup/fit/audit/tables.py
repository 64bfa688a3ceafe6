"""Markdown tables of versions: a column's heading says what its cells are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.fit.audit.model import Mention

if TYPE_CHECKING:
    from collections.abc import Iterator

ROW = re.compile(r"^(?P<cells>[^\n|]*(?:\|[^\n|]*)+)$", re.MULTILINE)
HTML_ROW = re.compile(r"<tr[^>]*>(?P<row>.{0,2000}?)</tr>", re.DOTALL | re.IGNORECASE)
HTML_CELL = re.compile(r"<(?P<tag>t[dh])[^>]*>(?P<cell>.{0,400}?)</(?P=tag)>", re.DOTALL | re.IGNORECASE)
RULE = re.compile(r"[\s|:-]+")
VERSION = re.compile(
    r"(?<![\d.])(?P<low>\d{1,2}\.\d{1,2}(?:\.\d+)?)(?:\s*[-~]\s*(?P<high>\d{1,2}\.\d{1,2}))?(?![\d.]*\d)"
)
COLUMNS = (
    ("cudnn", re.compile(r"cudnn", re.IGNORECASE | re.ASCII)),
    ("cuda", re.compile(r"\bcuda\b", re.IGNORECASE | re.ASCII)),
    ("python", re.compile(r"python", re.IGNORECASE | re.ASCII)),
    ("tensorflow", re.compile(r"tensorflow|\btf\b|^version$|^版本$", re.IGNORECASE | re.ASCII)),
)


def rows(text: str) -> Iterator[list[Mention]]:
    """Yield the mentions of each row of a table that names a TensorFlow and something beside it."""
    for found in (*_markdown(text), *_html(text)):
        products = {m.product for m in found}
        if "tensorflow" in products and len(products) > 1:
            yield found


def _html(text: str) -> Iterator[list[Mention]]:
    columns: list[str] = []
    for match in HTML_ROW.finditer(text):
        cells = [
            (m["cell"], m.start("cell"))
            for m in HTML_CELL.finditer(text, match.start("row"), match.end("row"))
        ]
        if "<th" in match[0].lower():
            columns = [_column(cell) for cell, _ in cells]
        else:
            yield _row(cells, columns)


def _row(cells: list[tuple[str, int]], columns: list[str]) -> list[Mention]:
    return [
        m for (cell, at), product in zip(cells, columns, strict=False) for m in _mention(cell, at, product)
    ]


def _markdown(text: str) -> Iterator[list[Mention]]:
    columns: list[str] = []
    last = -1
    for match in ROW.finditer(text):
        cells = list(_cells(match))
        if match.start() != last + 1:
            columns = [_column(cell) for cell, _ in cells]
        elif not RULE.fullmatch(match[0]):
            yield _row(cells, columns)
        last = match.end()


def _cells(match: re.Match[str]) -> Iterator[tuple[str, int]]:
    place = match.start("cells")
    for cell in match["cells"].split("|"):
        yield cell, place
        place += len(cell) + 1


def _column(heading: str) -> str:
    return next((name for name, pattern in COLUMNS if pattern.search(heading.strip(" *`"))), "")


def _mention(cell: str, place: int, product: str) -> Iterator[Mention]:
    found = VERSION.search(cell.replace("_", " ")) if product else None
    if found and not (
        product == "tensorflow" and re.search(r"torch|keras|jax", cell, re.IGNORECASE | re.ASCII)
    ):
        yield Mention(
            product, found["low"], found["high"] or found["low"], place + found.start(), place + found.end()
        )
