"""`trueup facts harvest`: what wheels say of themselves, from a folder or an index, as rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.cli.session import Session
    from trueup.facts.harvest.run import Offer, Outcome


@click.command("harvest", cls=SayCommand, help="harvest.help")
@click.argument("what", nargs=-1, required=True, metavar="FOLDER|PACKAGE[==VERSION]...")
@click.option("--index", cls=SayOption, metavar="URL|default", help="harvest.help-index")
@click.option(
    "--os",
    "systems",
    cls=SayOption,
    multiple=True,
    type=click.Choice(["windows", "linux"]),
    help="harvest.help-os",
)
@click.option("--python", cls=SayOption, metavar="X.Y", help="harvest.help-python")
@click.option("--deep/--shallow", cls=SayOption, default=None, help="harvest.help-deep")
@click.option("--output", "-o", cls=SayOption, metavar="FILE", help="harvest.help-output")
@click.pass_obj
def command(
    session: Session,
    *,
    what: tuple[str, ...],
    index: str | None,
    systems: tuple[str, ...],
    python: str | None,
    deep: bool | None,
    output: str | None,
) -> int:
    from trueup.facts.harvest.run import document

    if index:
        outcome = _from_index(session, what, index, systems, python, deep=bool(deep))
    else:
        outcome = _from_folders(session, what, deep=deep is not False)
    for refused in outcome.refused:
        session.talk(session.say(refused.message))
    if not outcome.rows and outcome.refused:
        raise outcome.refused[0]
    text = document(outcome.rows)
    if output:
        _write(Path(output), text)
    else:
        session.out(text.rstrip("\n"))
    session.talk(session.text("harvest.done", count=len(outcome.rows), refused=len(outcome.refused)))
    return 1 if outcome.refused else 0


def _from_folders(session: Session, what: tuple[str, ...], *, deep: bool) -> Outcome:
    from trueup.facts.harvest.run import Outcome, from_folder

    whole = Outcome([], [])
    for name in what:
        part = from_folder(Path(name), deep=deep, tell=lambda file: _tell(session, file))
        whole.rows.extend(part.rows)
        whole.refused.extend(part.refused)
    return whole


def _from_index(  # one command's options
    session: Session,
    what: tuple[str, ...],
    address: str,
    systems: tuple[str, ...],
    python: str | None,
    *,
    deep: bool,
) -> Outcome:
    from trueup.cli.harvesting import connect
    from trueup.facts.harvest.refuse import Refused
    from trueup.facts.harvest.run import asked, from_index

    index, client = connect(session, None if address == "default" else address)
    wanted = [
        offer
        for text in what
        for offer in asked(index, text)
        if (not systems or offer.target.platform in systems) and _serves(offer, python)
    ]
    if not wanted:
        raise Refused("no-release", " ".join(what))
    outcome = from_index(index, wanted, deep=deep, tell=lambda file: _tell(session, file))
    session.talk(session.text("harvest.fetched", megabytes=f"{client.fetched / 1e6:.1f}", of=_size(wanted)))
    return outcome


def _serves(offer: Offer, python: str | None) -> bool:
    return python is None or not offer.target.pythons or python in offer.target.pythons


def _size(offers: Iterable[Offer]) -> str:
    """Return what whole downloads would have been, where the index says sizes."""
    sizes = [offer.file.size for offer in offers]
    return f"{sum(s for s in sizes if s) / 1e6:.0f}" if all(sizes) else "?"


def _tell(session: Session, file: str) -> None:
    session.talk(session.text("harvest.reading", file=file))


def _write(path: Path, text: str) -> None:
    try:
        path.write_bytes(text.encode())
    except OSError as error:
        problem = {"path": str(path), "detail": error.strerror or str(error)}
        raise TrueupError(Message("harvest.not-written", problem)) from error
