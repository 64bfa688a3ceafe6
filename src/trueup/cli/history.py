"""`trueup history`: every check, build and proof of this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.history import Store


@click.command("history", cls=SayCommand, help="history.help")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="history.help-env")
@click.option(
    "--last", cls=SayOption, type=click.IntRange(1), default=30, metavar="N", help="history.help-last"
)
@click.option("--off", cls=SayOption, is_flag=True, help="history.help-off")
@click.option("--on", cls=SayOption, is_flag=True, help="history.help-on")
@click.option("--forget", cls=SayOption, is_flag=True, help="history.help-forget")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="history.help-json")
@click.pass_obj
def command(
    session: Session, *, env: str | None, last: int, off: bool, on: bool, forget: bool, as_json: bool
) -> int:
    from trueup.cli.remember import kept, store

    if off or on or forget:
        return _set(session, off=off, on=on, forget=forget)
    from trueup.report.history import as_data, table

    history = store()
    entries = asked(session, history, lambda: history.newest(last, env=_key(env)))
    if as_json:
        session.out_json(as_data(entries, kept=kept()))
        return 0
    session.out(table(entries, session.lang))
    if not kept():
        session.talk(session.text("history.is-off"))
    return 0


def _key(env: str | None) -> str | None:
    from pathlib import Path

    from trueup.cli.remember import key_of_folder

    return key_of_folder(str(Path(env).absolute())) if env else None


def asked(session: Session, history: Store, ask: Any) -> Any:
    """Ask the history; what was damaged is named, what cannot be used is the user's to mend."""
    from trueup.history import Trouble

    try:
        answer = ask()
    except Trouble as trouble:
        raise TrueupError(trouble.why, Message(f"history.hint-{trouble.kind}")) from trouble
    if history.moved is not None:
        session.talk(session.text("history.moved", path=str(history.moved)))
    return answer


def _set(session: Session, *, off: bool, on: bool, forget: bool) -> int:
    from trueup.cli.remember import off_file

    if off and on:
        raise TrueupError(Message("history.off-and-on"), Message("history.off-and-on-hint"))
    place = off_file()
    try:
        if forget:
            _forget()
            session.out(session.text("history.forgotten"))
        if off:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch()
            session.out(session.text("history.turned-off"))
        if on:
            place.unlink(missing_ok=True)
            session.out(session.text("history.turned-on"))
    except OSError as error:
        params = {"path": str(error.filename or place), "text": error.strerror or str(error)}
        raise TrueupError(
            Message("history.unwritable", params), Message("history.hint-unwritable")
        ) from error
    return 0


def _forget() -> None:
    """Delete the history, and what was moved aside of it."""
    from trueup.cli.places import data_folder

    for pattern in ("history.sqlite3*", "history.damaged-*"):
        for path in data_folder().glob(pattern):
            path.unlink()
