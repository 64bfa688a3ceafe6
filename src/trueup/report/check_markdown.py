"""A check-up to paste into a forum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report.check import fits_line, in_order, remedy_words
from trueup.report.redact import redact
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings import Checkup, Finding


def as_markdown(checkup: Checkup, lang: str) -> str:
    """Return what one pastes into a forum: names redacted, the verdict first, in English.

    Another language adds its verdict: whoever helps may read English only, whoever asks need not.
    """
    lines = [f"### trueup check: {checkup.outcome}", "", *_verdict_markdown(checkup, "en")]
    if lang != "en":
        lines += ["", "---", "", *_verdict_markdown(checkup, lang)]
    lines += ["", "| status | layer | |", "| --- | --- | --- |"]
    lines += [_markdown_row(finding) for finding in in_order(checkup)]
    return redact("\n".join(lines))


def _verdict_markdown(checkup: Checkup, lang: str) -> Iterator[str]:
    """Return the verdict; commands stand in blocks that a forum leaves alone."""
    cause = checkup.cause
    if cause is None:
        yield say(Message(f"check.outcome-{checkup.outcome}", {"framework": checkup.framework}), lang)
        if checkup.outcome != "aligned":
            yield from _block(checkup.command)
    else:
        yield f"**{say(Message('check.cause', {'text': say(cause.text, lang)}), lang)}**"
        yield from (
            f"- {say(Message('check.because', {'text': say(one, lang)}), lang)}" for one in cause.evidence
        )
        yield from ("", say(Message("check.do-this"), lang), "")
        for number, remedy in enumerate(cause.remedies, 1):
            yield f"{number}. {remedy_words(remedy, lang)}"
            if remedy.command:
                yield from _block(remedy.command, "   ")
    if (fits := fits_line(checkup, lang)) is not None:
        yield from ("", fits)


def _block(command: str, indent: str = "") -> tuple[str, ...]:
    return ("", f"{indent}```", f"{indent}{command}", f"{indent}```")


def _markdown_row(finding: Finding) -> str:
    layer = say(Message(f"check.layer-{finding.layer}"), "en")
    words = [finding.text, *(finding.evidence if finding.status == "unknown" else ())]
    text = "; ".join(say(one, "en") for one in words).replace("|", "\\|")
    return f"| {'harmless' if finding.harmless else finding.status} | {layer} | {text} |"
