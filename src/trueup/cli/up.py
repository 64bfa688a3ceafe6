"""`trueup up`: read, decide, show, ask, build, prove."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.fit.model import PREFERENCES, ROUTES
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.fit.model import Preference, Route

YES = ("y", "yes", "是", "好")


@click.command("up", cls=SayCommand, help="up.help")
@click.argument("wish", nargs=-1, required=True, metavar="FRAMEWORK...")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="up.help-env")
@click.option("--python", cls=SayOption, metavar="X.Y", help="up.help-python")
@click.option(
    "--route", "routes", cls=SayOption, multiple=True, type=click.Choice(ROUTES), help="up.help-route"
)
@click.option(
    "--prefer", cls=SayOption, type=click.Choice(PREFERENCES), default="stable", help="up.help-prefer"
)
@click.option("--prove/--no-prove", cls=SayOption, default=None, help="up.help-prove")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="up.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="up.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    wish: tuple[str, ...],
    env: str,
    python: str | None,
    routes: tuple[Route, ...],
    prefer: Preference,
    prove: bool | None,
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.cli.up_walk import Walk, device_of
    from trueup.fit.model import Wish

    asked = Wish(wish, python=python, routes=routes or None, prefer=prefer)
    walk = Walk.begin(session, asked, Path(env), as_json=as_json)
    if walk.state.name in ("complete", "changed"):
        return walk.finished(prove=prove)
    chosen = walk.chosen()
    if chosen is None:
        return walk.first_change()
    walk.show(chosen)
    if not yes and not _agreed(session, as_json=as_json):
        return walk.declined()
    made = walk.build(chosen)
    return walk.unproven() if prove is False else walk.prove(made, device_of(chosen.route))


def _agreed(session: Session, *, as_json: bool) -> bool:
    if as_json or not sys.stdin.isatty():
        raise TrueupError(Message("up.needs-yes"), Message("up.needs-yes-hint"))
    session.talk(session.text("up.ask"))
    return sys.stdin.readline().strip().lower() in YES
