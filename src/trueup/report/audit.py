"""An audit as text and data."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from trueup.report.redact import redact, redact_all
from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.fit.audit.model import Audit, Finding, Place
    from trueup.values import Param

SCHEMA = "trueup.audit/1"
SHOWN = 3  # places of one finding


def as_data(audits: Iterable[Audit], lang: str) -> dict[str, Any]:
    return {"schema": SCHEMA, "files": [_file(audit, lang) for audit in audits]}


def _file(audit: Audit, lang: str) -> dict[str, Any]:
    return {
        "name": redact(audit.name),
        "kind": audit.kind,
        "system": audit.system,
        "claims": audit.claims,
        "cut": audit.cut,
        "findings": [_finding(finding, lang) for finding in audit.findings],
    }


def _finding(finding: Finding, lang: str) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "severity": finding.severity,
        "places": redact_all([asdict(place) for place in finding.places]),
        "problem": say(finding.problem, lang),
        "right": say(finding.right, lang),
        "facts": dict(finding.problem.params),
        "source": asdict(finding.source),
    }


def as_text(audit: Audit, lang: str) -> str:
    return "\n".join(_lines(audit, lang))


def _lines(audit: Audit, lang: str) -> Iterator[str]:
    system = f"@audit.for-{audit.system or 'any'}"
    what: dict[str, Param] = {"name": redact(audit.name), "system": system, "claims": audit.claims}
    yield say(Message("audit.title", what), lang)
    if audit.cut:
        yield "  " + say(Message("audit.cut"), lang)
    if not audit.findings:
        yield "  " + say(Message("audit.nothing" if audit.claims else "audit.no-claims"), lang)
    for finding in audit.findings:
        yield ""
        yield f"[{say(Message(f'audit.{finding.severity}'), lang)}] {say(finding.problem, lang)}"
        for place in finding.places[:SHOWN]:
            yield f"  {_where(place, lang)}: {redact(place.quote)}"
        rest = len(finding.places) - SHOWN
        if rest > 0:
            yield "  " + say(Message("audit.more", {"count": rest}), lang)
        yield "  " + say(Message("audit.instead", {"text": say(finding.right, lang)}), lang)
        origin = {"name": finding.source.name, "date": finding.source.date}
        yield "  " + say(Message("audit.source", origin), lang)


def _where(place: Place, lang: str) -> str:
    if place.cell is not None:
        return say(Message("audit.cell", {"cell": place.cell, "line": place.line}), lang)
    return say(Message("audit.line", {"line": place.line, "column": place.column}), lang)
