"""`trueup facts update`: new releases, read from the index into the user's own facts."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.cli.harvesting import News
    from trueup.cli.session import Session
    from trueup.facts.harvest.index import Index
    from trueup.facts.harvest.refuse import Refused


@click.command("update", cls=SayCommand, help="harvest.help-update")
@click.argument("frameworks", nargs=-1, metavar="[FRAMEWORK]...")
@click.option("--index", cls=SayOption, metavar="URL", help="harvest.help-index-of")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="harvest.help-update-json")
@click.pass_obj
def command(session: Session, *, frameworks: tuple[str, ...], index: str | None, as_json: bool) -> int:
    from trueup.cli.harvesting import chosen, connect, news
    from trueup.cli.places import own_facts
    from trueup.facts import load

    wanted = chosen(frameworks, load().frameworks())
    place, client = connect(session, index)
    found = news(place, wanted, own_facts())
    added: list[dict[str, Any]] = []
    refused: list[Refused] = []
    for framework in wanted:
        parts = [part for part in found if part.framework == framework and part.new]
        if parts:
            rows, problems = _read(session, place, framework, parts)
            added += rows
            refused += problems
    for problem in refused:
        session.talk(session.say(problem.message))
    _show(session, added, refused, as_json=as_json)
    session.talk(session.text("harvest.fetched-all", megabytes=f"{client.fetched / 1e6:.1f}"))
    return 1 if refused else 0


def _read(
    session: Session, index: Index, framework: str, parts: Iterable[News]
) -> tuple[list[dict[str, Any]], list[Refused]]:
    """Read one wheel of each new release and platform, and put the rows over the user's facts."""
    from trueup.cli.places import own_facts
    from trueup.facts.harvest.newer import additions
    from trueup.facts.harvest.overlay import merged, own, shipped, write
    from trueup.facts.harvest.run import from_index, one_each
    from trueup.facts.own import read

    folder, today = own_facts(), dt.datetime.now(dt.timezone.utc).date().isoformat()
    added: list[dict[str, Any]] = []
    refused: list[Refused] = []
    for part in parts:
        outcome = from_index(
            index,
            one_each(part.new),
            deep=False,
            tell=lambda file: session.talk(session.text("harvest.reading", file=file)),
        )
        new = additions(outcome.rows, part.all, own(folder, framework), today)
        write(folder, framework, merged(read(folder, framework), new, shipped(framework)))
        added += new["rows"]
        refused += outcome.refused
    return added, refused


def _show(session: Session, added: list[dict[str, Any]], refused: list[Refused], *, as_json: bool) -> None:
    keys = ("package", "version", "platform")
    rows = [{key: str(row[key]) for key in keys} for row in added]
    if as_json:
        codes = [{"reason": r.reason, "what": r.message.params["what"]} for r in refused]
        session.out_json({"schema": "trueup.facts-update/1", "added": rows, "refused": codes})
        return
    for row in rows:
        session.out(session.text("harvest.added", **row))
    if not rows and not refused:
        session.out(session.text("harvest.nothing-new"))
