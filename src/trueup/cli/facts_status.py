"""`trueup facts status`: how old the facts are, and what the index has that they have not."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.cli.harvesting import News
    from trueup.cli.session import Session
    from trueup.facts.harvest.age import Age


@click.command("status", cls=SayCommand, help="harvest.help-status")
@click.option("--online", cls=SayOption, is_flag=True, help="harvest.help-online")
@click.option("--index", cls=SayOption, metavar="URL", help="harvest.help-index-of")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="harvest.help-status-json")
@click.pass_obj
def command(session: Session, *, online: bool, index: str | None, as_json: bool) -> int:
    from trueup.cli.places import own_facts
    from trueup.facts import load
    from trueup.facts.harvest.age import ages
    from trueup.facts.own import read

    frameworks = load().frameworks()
    added = {name: read(own_facts(), name)["rows"] for name in frameworks}
    status: dict[str, Any] = {
        "schema": "trueup.facts-status/1",
        "tables": _tables(ages(), dt.datetime.now(dt.timezone.utc).date()),
        "added": [
            _release(row["package"], row["version"], row["platform"])
            for rows in added.values()
            for row in rows
        ],
        "missing": None,
    }
    if online or index:
        from trueup.cli.harvesting import connect, news

        status["missing"] = _missing(news(connect(session, index)[0], frameworks, own_facts()))
    if as_json:
        session.out_json(status)
    else:
        _show(session, status)
    return 0


def _tables(found: Iterable[Age], today: dt.date) -> list[dict[str, Any]]:
    return [
        {"table": age.table, "oldest": age.oldest, "newest": age.newest, "days": age.days(today)}
        for age in found
    ]


def _release(package: str, version: str, platform: str) -> dict[str, str]:
    return {"package": package, "version": version, "platform": platform}


def _missing(found: Iterable[News]) -> list[dict[str, str]]:
    """Return what the index has and the facts have not: one row for each release and platform."""
    rows = {
        (part.package, str(offer.version), offer.target.platform or "any"): None
        for part in found
        for offer in part.new
    }
    return [_release(*row) for row in rows]


def _show(session: Session, status: dict[str, Any]) -> None:
    if status["tables"]:
        ages = sorted(status["tables"], key=lambda table: table["days"])
        oldest, newest = ages[-1], ages[0]["days"]
        session.out(session.text("harvest.age", table=oldest["table"], days=oldest["days"], newest=newest))
    width = max((len(table["table"]) for table in status["tables"]), default=0)
    for table in status["tables"]:
        session.out(f"  {table['table']:<{width}}  {table['oldest']} – {table['newest']}")
    for row in status["added"]:
        session.out(session.text("harvest.added", **row))
    if status["missing"] is None:
        session.talk("\n" + session.text("harvest.ask-online"))
    elif not status["missing"]:
        session.out(session.text("harvest.nothing-new"))
    else:
        for row in status["missing"]:
            session.out(session.text("harvest.missing", **row))
        session.talk("\n" + session.text("harvest.hint-update"))
