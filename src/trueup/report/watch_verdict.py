"""What held a training back, as text and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.values import Param
    from trueup.watch.classify import Finding, Verdict

SCHEMA = "trueup.watch-verdict/1"


def _text(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"held.{code}", params), lang)


def headline(verdict: Verdict, lang: str) -> str:
    if verdict.findings:
        return _text(lang, "outcome-held-back", cause=_text(lang, f"cause-{verdict.findings[0].cause}"))
    return _text(lang, f"outcome-{verdict.outcome}")


def as_text(verdict: Verdict, lang: str, samples: int) -> Iterator[str]:
    """Yield lines: the verdict, what shows it, what to do; then what was measured."""
    yield _text(lang, "head", text=headline(verdict, lang))
    for number, finding in enumerate(verdict.findings):
        if number:
            yield ""
            yield _text(lang, "also", cause=_text(lang, f"cause-{finding.cause}"))
        yield from _finding(finding, lang)
    if verdict.outcome == "unclear":
        yield "  " + _text(lang, "unclear-hint")
    if verdict.facts:
        yield ""
        yield _text(lang, "measured")
        yield from (f"  - {say(fact, lang)}" for fact in verdict.facts)
    yield "  - " + _text(lang, "watched", time=duration(verdict.seconds, lang), samples=samples)


def _finding(finding: Finding, lang: str) -> Iterator[str]:
    yield "  " + _text(lang, "because")
    yield from (f"    - {say(one, lang)}" for one in finding.evidence)
    yield "  " + _text(lang, "do-this")
    yield from (f"    {number}. {say(one, lang)}" for number, one in enumerate(finding.remedies, 1))


def duration(seconds: float, lang: str) -> str:
    whole = round(seconds)
    minutes, rest = divmod(whole, 60)
    if minutes == 0:
        return _text(lang, "time-seconds", seconds=rest)
    if minutes < 60:
        return _text(lang, "time-minutes", minutes=minutes, seconds=rest)
    return _text(lang, "time-hours", hours=minutes // 60, minutes=minutes % 60)


def as_data(verdict: Verdict, lang: str, samples: int, status: int | None) -> dict[str, Any]:
    """Return the answer of `--json`; its schema is `schemas/watch-verdict-1.json`."""
    return {
        "schema": SCHEMA,
        "outcome": verdict.outcome,
        "cause": verdict.findings[0].cause if verdict.findings else None,
        "text": headline(verdict, lang),
        "seconds": round(verdict.seconds, 1),
        "samples": samples,
        "status": status,
        "findings": [
            {
                "cause": one.cause,
                "text": _text(lang, f"cause-{one.cause}"),
                "evidence": [say(each, lang) for each in one.evidence],
                "remedies": [say(each, lang) for each in one.remedies],
            }
            for one in verdict.findings
        ],
        "facts": [say(fact, lang) for fact in verdict.facts],
    }
