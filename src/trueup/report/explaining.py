"""The page about a cause, for the terminal and for `docs/errors/`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.diagnose.catalog import causes
from trueup.report.diagnosis import remedy
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.diagnose.steps import Shell

SYSTEMS: tuple[tuple[str, Shell], ...] = (("windows-native", "powershell"), ("linux", "bash"))
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
