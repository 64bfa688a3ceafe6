"""Environments for several machines, as data (`trueup.solve-fleet/1`) and as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.report import marks
from trueup.report.say import say
from trueup.report.solution import alignment_data, short
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.fit.fleet import Fleet, Member

SCHEMA = "trueup.solve-fleet/1"


def as_data(fleet: Fleet, lang: str) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "environments": [[_member(member, lang) for member in group] for group in fleet.groups],
        "unserved": list(fleet.unserved),
    }


def as_text(fleet: Fleet, lang: str) -> str:
    count = len(fleet.groups)
    machines = sum(map(len, fleet.groups))
    code = "fleet-one" if count == 1 else "fleet-several"
    lines = (
        [say(Message(f"solve.{code}", {"count": machines if count == 1 else count}), lang)] if count else []
    )
    for group in fleet.groups:
        lines.append(", ".join(member.name for member in group))
        lines += [f"  {text}" for text in dict.fromkeys(_line(member, lang) for member in group)]
    if fleet.unserved:
        lines.append(say(Message("solve.fleet-none", {"names": ", ".join(fleet.unserved)}), lang))
    return "\n".join(lines)


def _line(member: Member, lang: str) -> str:
    return marks.pair(
        say(Message(f"solve.status-{member.status}"), lang), short(member.alignment, lang), lang
    )


def _member(member: Member, lang: str) -> dict[str, Any]:
    return {"machine": member.name, "status": member.status, "best": alignment_data(member.alignment, lang)}
