"""What `trueup doctor` says: the route, each step, and how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.check import remedy_words
from trueup.report.redact import redact
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.diagnose.findings.model import Checkup
    from trueup.diagnose.mend.model import Mend, Walked

SCHEMA: Final = "trueup.doctor/1"


def route_text(checkup: Checkup, steps: Sequence[Mend], lang: str) -> str:
    """Return the findings in causal order, each with the step that mends it."""
    if not steps:
        return say(Message(f"check.outcome-{checkup.outcome}", {"framework": checkup.framework}), lang)
    lines = [_t("doctor.route", lang)]
    if checkup.outcome == "aligned":
        lines = [_t("check.outcome-aligned", lang, framework=checkup.framework), _t("doctor.also", lang)]
    others = [step for step in steps if not of_toolkit(step)]
    if not others:
        lines = [_t(f"check.outcome-{checkup.outcome}", lang, framework=checkup.framework)]
    for number, step in enumerate(steps, 1):
        if number == len(others) + 1:
            lines += ["", _t("doctor.toolkits", lang)]
        lines += [f"  {number}. {finding_text(step, lang)}", *(f"     {line}" for line in _how(step, lang))]
    return "\n".join(lines)


def of_toolkit(step: Mend) -> bool:
    return step.finding is not None and step.finding.id.startswith("toolkit-")


def finding_text(step: Mend, lang: str) -> str:
    return _t("doctor.nothing-built", lang) if step.finding is None else redact(say(step.finding.text, lang))


def _how(step: Mend, lang: str) -> Iterator[str]:
    if step.argv:
        yield step.command + (f"  {_t('tune.needs-admin', lang)}" if step.admin else "")
        return
    yield _t("doctor.yours-why", lang, why=_t(step.why, lang)) if step.why else _t("doctor.yours", lang)
    for remedy in step.finding.remedies if step.finding else ():
        yield f"- {remedy_words(remedy, lang)}"
        if remedy.command:
            yield f"    {remedy.command}"


def step_text(number: int, step: Mend, lang: str) -> str:
    """Return the heading of a step that is taken now."""
    params = {"number": str(number), "what": finding_text(step, lang), "command": step.command}
    return _t("doctor.step", lang, **params)


def end_text(walked: Walked, lang: str) -> str:
    """Return how it ended, and what is the user's turn."""
    lines = [_t(f"doctor.end-{walked.end}", lang, framework=walked.checkup.framework)]
    if walked.left is not None and walked.end != "aligned":
        lines += [f"  {finding_text(walked.left, lang)}"]
        lines += [f"    {line}" for line in _how(walked.left, lang)]
    lines += ["  " + _t(f"doctor.{took}", lang, command=step.command) for step, took in walked.done]
    return "\n".join(lines)


def as_data(checkup: Checkup, steps: Sequence[Mend], walked: Walked | None, lang: str) -> dict[str, Any]:
    """Return the `trueup.doctor/1` document; its schema is `schemas/doctor-1.json`."""
    return {
        "schema": SCHEMA,
        "outcome": checkup.outcome,
        "framework": checkup.framework,
        "route": [_step(step, lang) for step in steps],
        "end": walked.end if walked else None,
        "done": [{**_step(step, lang), "helped": took == "helped"} for step, took in walked.done]
        if walked
        else [],
        "left": _step(walked.left, lang) if walked and walked.left else None,
    }


def _step(step: Mend, lang: str) -> dict[str, Any]:
    finding = step.finding
    return {
        "finding": finding.id if finding else None,
        "text": finding_text(step, lang),
        "command": step.command or None,
        "admin": step.admin,
        "why": _t(step.why, lang) if step.why else None,
        "remedies": [
            {"text": remedy_words(one, lang), "command": one.command} for one in finding.remedies
        ]
        if finding
        else [],
    }  # fmt: skip


def _t(code: str, lang: str, **params: str) -> str:
    return say(Message(code, params), lang)
