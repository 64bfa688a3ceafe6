"""`trueup cuda use`: a CUDA for one environment, checked first, written into it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.keep.cuda.use import Choice
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, Survey


@click.command("use", cls=SayCommand, help="cuda.help-use")
@click.argument("version", required=False, metavar="[X.Y]")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="cuda.help-use-env")
@click.option("--wheels", cls=SayOption, is_flag=True, help="cuda.help-use-wheels")
@click.option("--show", cls=SayOption, is_flag=True, help="cuda.help-use-show")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="cuda.help-use-dry-run")
@click.option(
    "--mirror", "mirrors", cls=SayOption, multiple=True, metavar="NAME", help="cuda.help-use-mirror"
)
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="cuda.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="cuda.help-json-use")
@click.pass_obj
def command(
    session: Session,
    *,
    version: str | None,
    env: str,
    wheels: bool,
    show: bool,
    dry_run: bool,
    mirrors: tuple[str, ...],
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.cli.cuda import read

    host, survey = read(None, env)
    environment = _named(survey, env)
    if show or (version is None and not wheels):
        return _show(session, environment, as_json=as_json)
    line = version or _own_line(survey, environment)
    choice, because = (None, None) if wheels else _toolkit(host, survey, environment, line)
    if choice is not None:
        return _write(session, choice, dry_run=dry_run, yes=yes, as_json=as_json)
    from trueup.cli.cuda_wheels import Wheels

    work = Wheels(session, mirrors, because, dry_run=dry_run, yes=yes, as_json=as_json)
    return work.run(survey, environment, line)


def _own_line(survey: Survey, environment: Environment) -> str:
    """Return the line that the framework's own wheels have; where there is none, its refusal says why."""
    from trueup.cli.places import load
    from trueup.keep.cuda.wanted import asks

    return next(iter(asks(load(), survey, environment))).own_line


def _toolkit(
    host: Host, survey: Survey, environment: Environment, line: str
) -> tuple[Choice | None, Message | None]:
    """Return the whole toolkit of this PC that serves, else what is wrong with those that are here."""
    from trueup.cli.places import load
    from trueup.keep.cuda.use import BY_WHEELS, choose
    from trueup.keep.cuda.wanted import own_line

    facts = load()
    try:
        choice = choose(host, facts, survey, environment, line, own=own_line(facts, survey, environment))
    except TrueupError as error:
        if error.message.code.removeprefix("cuda.use-") not in BY_WHEELS:
            raise
        return None, error.message
    return (
        (choice, None) if choice.folders else (None, None)
    )  # its wheels: whether all are there is seen there


def _write(session: Session, choice: Choice, *, dry_run: bool, yes: bool, as_json: bool) -> int:
    """Name the toolkit in the environment: small texts of ours, so a script needs no `--yes`; who sits there is asked."""
    from trueup.cli.places import changes_store
    from trueup.keep.cuda.use import changes_for
    from trueup.report import cuda_use as words
    from trueup.setup.changes.whole import whole

    store = changes_store()
    changes = changes_for(choice, store)
    outcome = "already" if not changes else "planned" if dry_run else "done"
    if not as_json:
        session.out(words.toolkit_text(choice, changes, session.lang))
    if outcome == "done" and not (yes or as_json or _agreed(session)):
        outcome = "declined"
    if outcome == "done":
        with whole(store, f"cuda use {choice.version}") as transaction:
            for change in changes:
                transaction.apply(change)
    if as_json:
        session.out_json(words.toolkit_data(choice, changes, outcome, session.lang))
    else:
        session.out(words.outcome_text(outcome, choice.version, choice.environment.path, session.lang))
    return 1 if outcome == "declined" else 0


def _agreed(session: Session) -> bool:
    import sys

    from trueup.cli.asking import agreed

    if sys.stdin is None or not sys.stdin.isatty():
        return True
    return agreed(session, "cuda.use-write-ask", TrueupError(Message("cuda.needs-yes")))


def _named(survey: Survey, env: str) -> Environment:
    from trueup.values import Unknown

    found = () if isinstance(survey.environments, Unknown) else survey.environments
    one = next((one for one in found if "folder" in one.found_by), None)
    if one is None:
        raise TrueupError(Message("check.no-environment", {"path": env}), Message("check.build-one"))
    return one


def _show(session: Session, environment: Environment, *, as_json: bool) -> int:
    from trueup.report.cuda_use import shown_data, shown_text

    if as_json:
        session.out_json(shown_data(environment))
    else:
        session.out(shown_text(environment, session.lang))
    return 0
