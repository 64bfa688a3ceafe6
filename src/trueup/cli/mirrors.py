"""`trueup mirrors`: the mirrors that are known; measured, where asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption

if TYPE_CHECKING:
    from trueup.cli.session import Session


@click.command("mirrors", cls=SayCommand, help="mirrors.help")
@click.argument("names", nargs=-1, metavar="[NAME|URL]...")
@click.option("--try", "measure", cls=SayOption, is_flag=True, help="mirrors.help-try")
@click.option(
    "--seconds", cls=SayOption, type=click.FloatRange(1, 120), default=12.0, help="mirrors.help-seconds"
)
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="mirrors.help-json")
@click.pass_obj
def command(session: Session, *, names: tuple[str, ...], measure: bool, seconds: float, as_json: bool) -> int:
    from trueup.report import mirrors as words
    from trueup.setup.mirrors import find, mirrors

    chosen = [find(name) for name in names] or list(mirrors())
    if not measure:
        if as_json:
            session.out_json(words.as_data(chosen, None))
        else:
            session.out(words.list_text(chosen, session.lang))
        return 0
    from trueup.setup.mirrors.trial import attempt
    from trueup.setup.uv import find as find_uv

    session.talk(session.text("mirrors.trying", count=len(chosen), seconds=f"{seconds:g}"))
    tried = attempt(chosen, find_uv().env, seconds=seconds)
    if as_json:
        session.out_json(words.as_data(chosen, tried))
    else:
        session.out(words.tried_text(tried, session.lang))
    return 0 if any(one.state == "good" for one in tried) else 1
