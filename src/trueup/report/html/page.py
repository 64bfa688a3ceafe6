"""The page as a whole."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup import __version__
from trueup.report.check_html import DARK, KINDS, LIGHT
from trueup.report.html.fitting import fitting
from trueup.report.html.loading import loading
from trueup.report.html.machine import past, versions
from trueup.report.html.markup import TAGS, Html, both, el, pair, section, words
from trueup.report.html.proving import proving
from trueup.report.html.verdict import layers, verdict
from trueup.report.html.watching import watching
from trueup.report.machine import machine_line
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.report.html.material import Material

HERE = Path(__file__).parent


def as_page(material: Material, lang: str) -> str:
    """Return the page; `lang` is the language that it opens in."""
    style, script = _style(), (HERE / "page.js").read_text("utf-8")
    tag = TAGS[lang]
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    head = el(
        "head",
        el("meta", charset="utf-8"),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{policy}">'),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", _title(material, lang)),
        el("style", Html(style)),
    )
    body = el("body", *_body(material), _embedded(material.machine), el("script", Html(script)))
    titles = {"data_title_en": _title(material, "en"), "data_title_zh": _title(material, "zh_CN")}
    page = el("html", head, body, lang=tag, data_lang=tag, **titles)
    return f"<!doctype html>\n{page}"


def _style() -> str:
    sheet = (HERE / "page.css").read_text("utf-8")
    return sheet.replace("/* light */", LIGHT).replace("/* dark */", DARK)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _title(material: Material, lang: str) -> str:
    badge = say(Message(f"check.badge-{material.checkup.outcome}"), lang)
    return say(Message("report.title", {"badge": badge}), lang)


def _body(material: Material) -> list[Html]:
    checkup = material.checkup
    kind = KINDS[checkup.outcome]
    parts = [
        ("verdict", verdict(checkup, kind)),
        ("layers", layers(checkup)),
        ("fits", fitting(checkup.solution)),
        ("proof", proving(material.proof)),
        ("loader", loading(material.trace, material.no_trace)),
        ("watch", watching(material)),
        ("history", past(material)),
        ("machine", versions(material)),
        ("helper", _helper()),
    ]
    there = [(name, part) for name, part in parts if part is not None]
    links = (el("li", el("a", words(f"h-{name}"), href=f"#{name}")) for name, _ in there)
    return [
        el("a", words("skip"), href="#content", class_="skip"),
        el("header", _head(material, kind), _switches()),
        el("nav", el("ul", *links), aria_label="trueup"),
        el("main", *(part for _, part in there), id="content", tabindex=-1),
        el("footer", el("p", words("footer", version=__version__))),
    ]


def _head(material: Material, kind: str) -> Html:
    badge = el("span", both(Message(f"check.badge-{material.checkup.outcome}")), class_=f"badge {kind}")
    machine = material.checkup.survey.machine
    line = pair(*(machine_line(machine, lang) for lang in TAGS))
    return el(
        "div", el("h1", words("heading"), " ", badge), el("p", line), el("p", material.date, class_="small")
    )


def _switches() -> Html:
    """Return the buttons that the script brings to life; without it the page stays in the language asked for."""
    languages = (
        el("button", name, type="button", data_set_lang=tag, lang=tag, aria_pressed="false")
        for name, tag in (("English", "en"), ("中文", "zh-CN"))
    )
    themes = (
        el("button", words(f"theme-{name}"), type="button", data_set_theme=name, aria_pressed="false")
        for name in ("auto", "light", "dark")
    )
    return el(
        "div",
        el("div", *languages, role="group", aria_label="Language / 语言"),
        el("div", *themes, role="group", aria_label="Theme / 主题"),
        class_="switches",
    )


def _helper() -> Html:
    commands = el("pre", el("code", "trueup check --machine report.html"))
    return section(
        "helper", words("h-helper"), el("p", words("helper")), commands, el("p", words("redacted"))
    )


def _embedded(machine: Mapping[str, Any]) -> Html:
    """Return the recording inside the page; no `<` of it can end the element, and JSON reads it as it was."""
    data = json.dumps(machine, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return Html(f'<script type="application/json" id="trueup-machine">{data}</script>')
