"""A diagnosis in words and as `trueup.diagnose/1`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.diagnose.catalog import causes
from trueup.diagnose.steps import Shell, actions, shell_of
from trueup.report import marks
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.diagnose.model import Diagnosis, Finding, Lookalike, Observation, Step

SCHEMA = "trueup.diagnose/1"
HARMLESS = "harmless-warnings-only"
SURE, LIKELY = 0.8, 0.55


def document(diagnosis: Diagnosis, lang: str, os: str, shell: Shell | None = None) -> dict[str, Any]:
    """Return the versioned answer."""
    wanted = shell or shell_of(os)
    own = [{"line": one.line, "text": one.text} for one in diagnosis.own]
    return {
        "schema": SCHEMA,
        "causes": [_cause(one, lang, os, wanted) for one in diagnosis.causes],
        "harmless": [{"line": one.line, "text": one.text, "id": one.signal} for one in diagnosis.harmless],
        "unknown": [
            {
                "fact": ask.fact,
                "why": _text("diagnose.ask", lang, fact=_fact(ask.fact, lang), causes=", ".join(ask.would)),
                "command": _text(f"diagnose.command-{ask.fact}", lang),
            }
            for ask in diagnosis.unknown
        ],
        "own": own,
    }


def _cause(one: Finding, lang: str, os: str, shell: Shell) -> dict[str, Any]:
    entry = causes()[one.cause]
    title, explanation = entry.words[lang]
    return {
        "id": one.cause,
        "layer": one.layer,
        "role": one.role,
        "confidence": one.confidence,
        "title": title,
        "explanation": explanation,
        "evidence": [{"line": seen.line, "text": seen.text} for seen in one.evidence],
        "because": because(one, lang),
        "remedy": list(remedy(one.remedy, lang, os, shell)),
        "sources": [{"name": at.name, "address": at.address, "date": at.date} for at in entry.sources],
    }


def remedy(steps: Iterable[Step], lang: str, os: str, shell: Shell) -> Iterator[dict[str, Any]]:
    """Yield the steps for an operating system and a shell."""
    for made in actions(steps, os, shell):
        yield {
            "id": made.id,
            "text": made.text[lang].format_map(made.params),
            "commands": list(made.commands),
            "admin": made.admin,
            "confirms": made.confirms,
        }


def because(one: Finding, lang: str) -> list[str]:
    """Return why it is this cause and not its look-alike."""
    lines = [
        _text("diagnose.seen", lang, line=seen.line, text=seen.text) for seen in one.evidence[:2] if seen.line
    ]
    lines += [_text("diagnose.stated", lang, text=seen.text) for seen in one.evidence[:2] if not seen.line]
    if one.facts:
        words = marks.parts(
            (marks.pair(_fact(n, lang), value, lang) for n, value in one.facts if value), lang
        )
        lines.append(_text("diagnose.facts", lang, facts=words))
    lines += [_unlike(other, lang) for other in one.unlike]
    return lines


def _unlike(other: Lookalike, lang: str) -> str:
    title = f"`{other.cause}`" + marks.aside(causes()[other.cause].words[lang][0], lang)
    match other.why:
        case "fact" | "unknown":
            fact = _fact(other.subject, lang)
            return _text(
                f"diagnose.not-{other.why}",
                lang,
                text=title,
                fact=fact,
                asked=other.asked,
                stated=other.stated,
            )
        case "weaker":
            return _text("diagnose.not-weaker", lang, text=title)
        case _:
            return _text(f"diagnose.not-{other.why}", lang, text=title, what=_named(other, lang))


def _named(other: Lookalike, lang: str) -> str:
    if ":" in other.subject:
        return _text(f"diagnose.is-{other.subject.replace(':', '-')}", lang)
    return f"`{other.asked}`" if other.asked else f"`{other.subject}`"


def _fact(name: str, lang: str) -> str:
    return _text(f"diagnose.fact-{name}", lang)


def _text(code: str, lang: str, **params: str | int) -> str:
    """Say a message. A quoted line may begin with `@`, which is no code of the catalog here."""
    quoted = {k: f" {v}" if isinstance(v, str) and v.startswith("@") else v for k, v in params.items()}
    return say(Message(code, quoted), lang)


def lines(diagnosis: Diagnosis, lang: str, os: str, shell: Shell | None = None) -> Iterator[str]:
    """Yield the answer as text."""
    wanted = shell or shell_of(os)
    first = diagnosis.causes[0] if diagnosis.causes else None
    if first is None:
        yield _text("diagnose.own" if diagnosis.own else "diagnose.nothing", lang)
        yield from (f"  {_quote(one, lang)}" for one in diagnosis.own)
        if not diagnosis.own and not diagnosis.harmless:
            yield _text("diagnose.nothing-next", lang)
    else:
        yield from _block(first, lang, os, wanted)
    for more in diagnosis.causes[1:]:
        if more.role == "further":
            yield ""
            yield _text("diagnose.further", lang)
            yield from _block(more, lang, os, wanted)
    yield from _others(diagnosis, lang)
    yield from _quiet(diagnosis, lang)
    yield from _asks(diagnosis, lang)


def _block(one: Finding, lang: str, os: str, shell: Shell) -> Iterator[str]:
    title, explanation = causes()[one.cause].words[lang]
    degree = "sure" if one.confidence >= SURE else "likely" if one.confidence >= LIKELY else "maybe"
    yield _text(f"diagnose.title-{degree}", lang, title=title, id=one.cause)
    yield f"  {explanation}"
    for seen in one.evidence:
        yield "  " + _quote(seen, lang)
    yield ""
    reasons = because(one, lang)[min(2, len(one.evidence)) :]
    if reasons:
        yield _text("diagnose.why", lang)
    yield from (f"  - {reason}" for reason in reasons)
    yield _text("diagnose.do", lang)
    number = 0
    for step in remedy(one.remedy, lang, os, shell):
        if step["confirms"]:
            yield _text("diagnose.confirm", lang, text=step["text"])
        else:
            number += 1
            admin = " " + _text("diagnose.admin", lang) if step["admin"] else ""
            yield f"  {number}. {step['text']}{admin}"
        yield from (f"       {command}" for command in step["commands"])


def _quote(seen: Observation, lang: str) -> str:
    return _text("diagnose.seen" if seen.line else "diagnose.stated", lang, line=seen.line, text=seen.text)


def _others(diagnosis: Diagnosis, lang: str) -> Iterator[str]:
    rest = [one for one in diagnosis.causes[1:] if one.role == "alternative"]
    if rest:
        yield ""
        yield _text("diagnose.others", lang)
        for one in rest:
            yield f"  - {causes()[one.cause].words[lang][0]} (`{one.cause}`, {one.confidence:.0%})"


def _quiet(diagnosis: Diagnosis, lang: str) -> Iterator[str]:
    if diagnosis.harmless:
        yield ""
        yield _text("diagnose.harmless", lang)
        for one in diagnosis.harmless:
            yield f"  {_text('diagnose.seen', lang, line=one.line, text=one.text)}"


def _asks(diagnosis: Diagnosis, lang: str) -> Iterator[str]:
    if diagnosis.unknown:
        yield ""
        yield _text("diagnose.asks", lang)
        for ask in diagnosis.unknown:
            why = _text("diagnose.ask", lang, fact=_fact(ask.fact, lang), causes=", ".join(ask.would))
            yield f"  - {why}"
            yield f"       {_text(f'diagnose.command-{ask.fact}', lang)}"


def wrong(diagnosis: Diagnosis) -> bool:
    """Tell whether a fault was found."""
    return bool(diagnosis.causes) and diagnosis.causes[0].cause != HARMLESS
