"""The stack of layers as a picture: what carries is below, the root cause is marked in its place."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from trueup.report.html.markup import TAGS, Html, both, el, words
from trueup.report.redact import redact
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.diagnose.findings import Checkup, Finding

WIDTH, GAP = 400, 8
HEAD, LINE = 31, 17  # of a box, and of each line of small text in it
COLUMNS = 50  # of that text; Chinese letters take two
# from the top to the ground; settings lie around all of them
ORDER = ("framework", "packages", "python", "cuda", "runtime", "wsl", "driver", "system", "card", "settings")
RANK = {"problem": 0, "unknown": 1, "ok": 2, "notice": 3}
MARKS = {"ok": "✓", "problem": "!", "unknown": "?", "notice": "–"}


def stack(checkup: Checkup) -> Html:
    """Return the figure; the table of findings beside it says the same in words."""
    rows, top = [], 2
    for layer in ORDER:
        finding = _speaker(checkup, layer)
        if finding is not None:
            row, height = _row(finding, top, cause=finding is checkup.cause)
            rows.append(row)
            top += height + GAP
    box = f"0 0 {WIDTH} {top - GAP + 2}"
    picture = el("svg", *rows, viewBox=box, role="img", aria_labelledby="stack-caption", class_="stack")
    return el("figure", picture, el("figcaption", _caption(checkup), id="stack-caption"))


def _caption(checkup: Checkup) -> Html:
    if checkup.cause is None:
        return words("stack-caption")
    layer = f"@check.layer-{checkup.cause.layer}"
    return words("stack-caption-cause", layer=layer)


def _speaker(checkup: Checkup, layer: str) -> Finding | None:
    """Return the finding that speaks for a layer: the cause, or else the worst."""
    if checkup.cause is not None and checkup.cause.layer == layer:
        return checkup.cause
    found = [one for one in checkup.findings if one.layer == layer and not one.harmless]
    return min(found, key=lambda one: RANK[one.status], default=None)


def _row(finding: Finding, top: int, *, cause: bool) -> tuple[Html, int]:
    """Return the box of a layer and how high it is."""
    told = {lang: _lines(say(finding.text, lang)) for lang in TAGS}
    height = HEAD + LINE * max(map(len, told.values()))
    around = " around" if finding.layer == "settings" else ""
    box = el(
        "g",
        el("rect", x=2, y=top, width=WIDTH - 4, height=height, rx=7, class_="body"),
        el("circle", cx=24, cy=top + height / 2, r=11, class_="mark"),
        el("text", MARKS[finding.status], x=24, y=top + height / 2 + 5, class_="glyph"),
        both(Message(f"check.layer-{finding.layer}"), "text", x=44, y=top + 19, class_="name"),
        *(_told(lines, lang, top) for lang, lines in told.items()),
        both(Message("report.root-cause"), "text", x=WIDTH - 14, y=top + 19, class_="flag")
        if cause
        else None,
        class_=f"box {finding.status}{' cause' if cause else ''}{around}",
    )
    return box, height


def _told(lines: list[str], lang: str, top: int) -> Html:
    places = (el("tspan", line, x=44, y=top + 37 + number * LINE) for number, line in enumerate(lines))
    return el("text", *places, lang=TAGS[lang], class_="told")


def _lines(sentence: str) -> list[str]:
    """Return two lines of a sentence, as much as the box holds. Redacted before it is cut: half a name is a name."""
    cleaned = redact(sentence)
    first = _fitting(cleaned)
    rest = cleaned[len(first) :].strip()
    if not rest:
        return [first]
    second = _fitting(rest)
    return [first.strip(), second.strip() if second == rest else second[:-1].rstrip() + "…"]


def _fitting(text: str) -> str:
    """Return the beginning that a line holds, up to a space where one is near."""
    used = 0
    for place, letter in enumerate(text):
        used += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > COLUMNS:
            space = text.rfind(" ", place - 16, place + 1)
            return text[: space if space > 0 else place]
    return text
