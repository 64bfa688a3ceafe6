"""The page about a cause, for the terminal and for `docs/errors/`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from trueup.diagnose.catalog import LAYERS, causes
from trueup.diagnose.findings.order import ORDER
from trueup.diagnose.lookup import Entry, nearest
from trueup.report.diagnosis import remedy
from trueup.report.marks import listed
from trueup.report.say import LANGUAGES, catalog, say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.diagnose.steps import Shell

SYSTEMS: tuple[tuple[str, Shell], ...] = (("windows-native", "powershell"), ("linux", "bash"))
PLACE = re.compile(r"\{[a-z_]+\}")
NAMES = {"windows-native": "Windows", "linux": "Linux, WSL2"}


def _text(name: str, lang: str, **params: str) -> str:
    return say(Message(f"explain.{name}", params), lang)


def page(name: str, lang: str, os: str, shell: Shell) -> Iterator[str]:
    """Yield the page about a cause as plain text."""
    cause = causes()[name]
    title, explanation = cause.words[lang]
    yield f"{title} [{name}]"
    yield f"  {explanation}"
    yield ""
    yield _text("shows", lang)
    yield from (f"  {line}" for line in cause.shows)
    yield ""
    yield _text("do", lang)
    for step in remedy(cause.remedy, lang, os, shell):
        yield f"  - {_step_text(step, lang)}"
        yield from (f"       {command}" for command in step["commands"])
    yield ""
    if cause.unlike:
        yield _text("unlike", lang)
        yield from (f"  - {other}: {causes()[other].words[lang][0]}" for other in cause.unlike)
        yield ""
    yield _text("sources", lang)
    yield from (f"  - {at.name}: {at.address} ({at.date})" for at in cause.sources)


def is_finding(name: str) -> bool:
    """Tell whether `trueup check` says so of a machine, and no text does."""
    return name in ORDER and name not in causes() and name in catalog("en", "findings")


def finding(name: str, lang: str) -> Iterator[str]:
    """Yield the page about what a check-up says, with the places of this machine's own values left open."""
    yield f"{_finding_text(name, lang)} [{name}]"
    yield f"  {_text('finding', lang)}"
    yield ""
    yield _text("do", lang)
    if f"{name}-fix" in catalog("en", "findings"):
        yield f"  - {_finding_text(f'{name}-fix', lang)}"
    yield f"  - {_text('finding-do', lang)}"


def pages_about(text: str, lang: str) -> Iterator[str]:
    """Yield a list of the pages that speak of plain words; nothing where none does."""
    names = nearest(text, _entries())
    if names:
        yield _text("about", lang, text=text)
        yield ""
        width = max(map(len, names))
        for name in names:
            known = causes().get(name)
            yield f"  {name:<{width}}  {known.words[lang][0] if known else _finding_text(name, lang)}"
        yield ""
        yield _text("open", lang)


def layers(lang: str) -> str:
    return listed((layer for layer in LAYERS if layer != "none"), lang)


def _entries() -> Iterator[Entry]:
    for cause in causes().values():
        titles = [cause.words[lang][0] for lang in LANGUAGES]
        body = [cause.words[lang][1] for lang in LANGUAGES]
        yield Entry(cause.id, " ".join((cause.id, cause.layer, *titles)), " ".join((*body, *cause.shows)))
    for name in filter(is_finding, ORDER):
        texts = [_finding_text(name, lang) for lang in LANGUAGES]
        yield Entry(name, " ".join((name, *texts)), "")


def _finding_text(name: str, lang: str) -> str:
    return PLACE.sub("…", catalog(lang, "findings")[name])


def _step_text(step: Mapping[str, Any], lang: str) -> str:
    text: str = step["text"]
    return say(Message("diagnose.confirm", {"text": text}), lang) if step["confirms"] else text


def markdown(name: str, lang: str) -> str:
    """Return the page about a cause for the documentation."""
    cause = causes()[name]
    title, explanation = cause.words[lang]
    lines = [
        f"# {title}",
        "",
        f"`{name}` · {cause.layer}",
        "",
        explanation,
        "",
        f"## {_text('shows', lang)}",
        "",
    ]
    lines += ["```text", *cause.shows, "```", "", f"## {_text('do', lang)}", ""]
    for os, shell in SYSTEMS:
        lines += [f"### {NAMES[os]}", ""]
        for number, step in enumerate(remedy(cause.remedy, lang, os, shell), 1):
            lines.append(f"{number}. {_step_text(step, lang)}")
            if step["commands"]:
                lines += ["", f"   ```{shell}", *(f"   {one}" for one in step["commands"]), "   ```", ""]
        lines.append("")
    if cause.unlike:
        lines += [f"## {_text('unlike', lang)}", ""]
        lines += [f"- [{causes()[other].words[lang][0]}]({other}.md)" for other in cause.unlike] + [""]
    lines += [f"## {_text('sources', lang)}", ""]
    lines += [f"- [{at.name}]({at.address}) ({at.date})" for at in cause.sources]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def index(lang: str) -> str:
    """Return the list of all pages."""
    lines = [f"# {_text('index', lang)}", ""]
    layer = ""
    for cause in causes().values():
        if cause.layer != layer:
            layer = cause.layer
            lines += ["", f"## {layer}", ""]
        lines.append(f"- [{cause.words[lang][0]}]({cause.id}.md) `{cause.id}`")
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"
