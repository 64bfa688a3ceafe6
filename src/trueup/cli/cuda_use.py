"""`trueup cuda use`: a CUDA for one environment, checked first, written into it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.machine.inventory.model import Environment, Survey


@click.command("use", cls=SayCommand, help="cuda.help-use")
@click.argument("version", required=False, metavar="[X.Y]")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="cuda.help-use-env")
@click.option("--show", cls=SayOption, is_flag=True, help="cuda.help-use-show")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="cuda.help-use-dry-run")
@click.pass_obj
def command(session: Session, *, version: str | None, env: str, show: bool, dry_run: bool) -> int:
    from trueup.cli.cuda import read
    from trueup.cli.places import changes_store, load
    from trueup.keep.cuda.use import changes_for, choose

    host, survey = read(None, env)
    environment = _named(survey, env)
    if show or version is None:
        return _show(session, environment)
    choice = choose(host, load(), survey, environment, version)
    store = changes_store()
    changes = changes_for(choice, store)
    for change in changes:
        session.out(session.text("cuda.use-write", path=change.name))
    for folder in choice.folders:
        session.out(f"  {folder}")
    for note in choice.notes:
        session.talk(session.text("cuda.add-note", text=session.say(note)))
    if not changes or dry_run:
        session.out(session.text("cuda.use-already" if not changes else "cuda.add-planned", version=version))
        return 0
    with store.begin(f"cuda use {version}") as transaction:
        for change in changes:
            transaction.apply(change)
    session.out(session.text("cuda.use-done", version=version, env=environment.path))
    return 0


def _named(survey: Survey, env: str) -> Environment:
    from trueup.values import Unknown

    found = () if isinstance(survey.environments, Unknown) else survey.environments
    one = next((one for one in found if "folder" in one.found_by), None)
    if one is None:
        raise TrueupError(Message("check.no-environment", {"path": env}), Message("check.build-one"))
    return one


def _show(session: Session, environment: Environment) -> int:
    chosen = environment.chosen
    if not chosen:
        session.out(session.text("cuda.use-nothing", env=environment.path))
    else:
        session.out(
            "\n".join([session.text("cuda.use-chosen", env=environment.path), *(f"  {f}" for f in chosen)])
        )
    return 0
