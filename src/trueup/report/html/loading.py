"""The tree of what the loader takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report.html.markup import Html, both, details, el, join, pair, section, words
from trueup.report.trace import nested, where
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.trace import Node, Trace

    Row = tuple[int, Node]


def loading(trace: Trace | None, absent: str) -> Html:
    parts = [el("p", both(Message(absent)))] if trace is None else list(_parts(trace))
    return section("loader", words("h-loader"), *parts)


def _parts(trace: Trace) -> Iterator[Html]:
    broken = trace.broken
    count = len(trace.nodes)
    if broken:
        yield el("p", words("trace-broken", count=len(broken)), class_="lead")
        yield el("ul", *(el("li", _line(node)) for node in broken))
    else:
        yield el("p", both(Message("trace.all-found", {"count": count})), class_="lead")
    if not trace.loads_known:
        yield el("p", both(Message("trace.loads-unknown")))
    tree, _ = _level(list(nested(trace)), 0, 0)
    yield details(words("tree", count=count), el("div", tree, class_="tree"))


def _level(rows: list[Row], start: int, depth: int) -> tuple[Html, int]:
    """Return the list of a depth from a row on, and the row after it."""
    items, place = [], start
    while place < len(rows) and rows[place][0] >= depth:
        node = rows[place][1]
        place += 1
        inner = None
        if place < len(rows) and rows[place][0] > depth:
            inner, place = _level(rows, place, depth + 1)
        items.append(el("li", _line(node), inner))
    return el("ul", *items), place


def _line(node: Node) -> Html:
    bad = node.missing or node.fault
    kind = "ok" if not bad else "notice" if node.feature else "problem"
    state = el("span", both(Message(f"check.state-{kind}")), class_=f"state {kind}")
    return join(
        (
            state,
            " ",
            el("code", node.name),
            " ",
            el("span", pair(where(node, "en"), where(node, "zh_CN")), class_="small"),
        )
    )
