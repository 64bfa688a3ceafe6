"""Elements of a page. Every text is redacted and escaped here, and nowhere else."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING

from trueup.report.redact import redact
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.values import Param

TAGS = {"en": "en", "zh_CN": "zh-CN"}
VOID = frozenset({"meta", "rect", "line", "circle", "path", "polyline"})


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Part = Html | str | None


def text(value: object) -> Html:
    return Html(escape(redact(str(value))))


def prose(sentence: str) -> Html:
    """Return a sentence in which what stands in backticks is typed text."""
    return Html(re.sub(r"`([^`]+)`", r"<code>\1</code>", text(sentence)))


def join(parts: Iterable[Part], between: str = "") -> Html:
    """Return parts one after the other; a plain text is no markup yet."""
    made = (part if isinstance(part, Html) else text(part) for part in parts if part is not None)
    return Html(between.join(made))


def el(tag: str, *parts: Part, **attributes: str | float | None) -> Html:
    """Return an element. `class_` and `for_` lose their underscore, other underscores are hyphens."""
    words = (
        f' {name.rstrip("_").replace("_", "-")}="{escape(redact(str(value)))}"'
        for name, value in attributes.items()
        if value is not None
    )
    head = f"<{tag}{''.join(words)}>"
    if tag in VOID:
        return Html(head.removesuffix(">") + "/>" if tag != "meta" else head)
    return Html(f"{head}{join(parts)}</{tag}>")


def both(message: Message, tag: str = "span", **attributes: str | float | None) -> Html:
    """Return a sentence in each language; the page shows one of them."""
    said = {lang: say(message, lang) for lang in TAGS}
    return pair(said["en"], said["zh_CN"], tag, **attributes)


def pair(english: str, chinese: str, tag: str = "span", **attributes: str | float | None) -> Html:
    made = tuple(text(one) if tag == "text" else prose(one) for one in (english, chinese))
    if english == chinese:
        return el(tag, made[0], **attributes) if attributes or tag != "span" else made[0]
    return join((el(tag, made[0], lang="en", **attributes), el(tag, made[1], lang="zh-CN", **attributes)))


def words(name: str, /, **params: Param) -> Html:
    """Return a sentence of the report's own."""
    return both(Message(f"report.{name}", params))


def table(heads: Iterable[Part], rows: Iterable[Iterable[Part]], caption: Part, **attributes: str) -> Html:
    head = el("thead", el("tr", *(el("th", one, scope="col") for one in heads)))
    body = el("tbody", *(row if isinstance(row, Html) else tr(row) for row in rows))
    return el("table", el("caption", caption), head, body, **attributes)


def tr(cells: Iterable[Part], **attributes: str) -> Html:
    """Return a row whose first cell names it."""
    first, *rest = cells
    return el("tr", el("th", first, scope="row"), *(el("td", cell) for cell in rest), **attributes)


def details(summary: Part, *parts: Part) -> Html:
    return el("details", el("summary", summary), *parts)


def section(ident: str, title: Part, *parts: Part) -> Html:
    return el("section", el("h2", title, id=ident), *parts, aria_labelledby=ident)
