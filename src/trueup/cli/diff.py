"""`trueup diff`: what changed on this machine since it last worked, or between two moments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.history import Entry, Store, When


@click.command("diff", cls=SayCommand, help="diff.help")
@click.argument("since", required=False, metavar="[WHEN|ID]")
@click.argument("until", required=False, metavar="[WHEN|ID]")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="check.help-env")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="diff.help-json")
@click.pass_obj
def command(session: Session, *, since: str | None, until: str | None, env: str | None, as_json: bool) -> int:
    from trueup.cli.history import asked
    from trueup.cli.remember import store
    from trueup.history import compare
    from trueup.report.history import diff_data, diff_text

    history = store()
    first, second = _when(since or "last-good"), _when(until) if until else None
    before, after = asked(session, history, lambda: _pair(history, first, second, env))
    changes = compare(_facts(before), _facts(after), environment=before.env == after.env)
    if as_json:
        session.out_json(diff_data(before, after, changes, session.lang))
    else:
        session.out(diff_text(before, after, changes, session.lang))
    return 0


def _when(text: str) -> When:
    from datetime import datetime

    from trueup.history import parse_when

    found = parse_when(text, datetime.now().astimezone())
    if found is None:
        raise TrueupError(Message("diff.no-moment", {"text": text}), Message("diff.moments-are"))
    return found


def _pair(history: Store, first: When, second: When | None, env: str | None) -> tuple[Entry, Entry]:
    if second is None:
        after = _now(env)
        _check_there(history, after, env)
        where = after.where
    else:
        where = _where(history, env)
        after = _entry(history, second, where)
    return _entry(history, first, where), after


def _now(env: str | None) -> Entry:
    """Read the machine as it is. Nothing is kept of it: this is no check."""
    from trueup.cli.remember import entry_of
    from trueup.diagnose.findings.subject import choose
    from trueup.machine.host import this_host
    from trueup.machine.survey import read_survey

    host = this_host()
    survey = read_survey(host, env_dir=str(Path(env or ".venv").absolute()))
    subject, framework = choose(survey, None, env)
    return entry_of(survey, subject, host, framework)


def _check_there(history: Store, now: Entry, env: str | None) -> None:
    """Refuse where the environment in question is not there, and say whether it ever was."""
    from trueup.cli.remember import key_of_folder, this_machine

    if now.env:
        return
    path = env or ".venv"
    known = history.newest(1, machine=this_machine(), env=key_of_folder(str(Path(path).absolute())))
    if known:
        raise TrueupError(Message("diff.environment-gone", {"path": path}), Message("check.build-one"))
    if env:
        raise TrueupError(Message("check.no-environment", {"path": env}), Message("check.build-one"))


def _where(history: Store, env: str | None) -> tuple[str, str, str]:
    """Return whose moments are meant: the environment's, or else those of the newest entry."""
    from trueup.cli.remember import key_of_folder, this_machine

    key = key_of_folder(str(Path(env or ".venv").absolute()))
    newest = history.newest(1, machine=this_machine(), env=key) or (
        [] if env else history.newest(1, machine=this_machine())
    )
    if not newest:
        raise TrueupError(Message("diff.nothing-kept"), Message("diff.check-first"))
    return newest[0].where


def _entry(history: Store, when: When, where: tuple[str, str, str]) -> Entry:
    from trueup.history import Reach
    from trueup.report.history import minute

    if when.kind == "ident":
        found = history.get(when.at)
        told = Message("diff.no-such-entry", {"id": when.at})
    elif when.kind == "last-good":
        found = history.last_good(where) or history.last_good(where, Reach.CPU)
        told = Message("diff.never-worked")
    else:
        found = history.at(when.at, where)
        told = Message("diff.nothing-then", {"when": minute(when.at)})
    if found is None:
        raise TrueupError(told, _hint(history, where))
    return found


def _hint(history: Store, where: tuple[str, str, str]) -> Message:
    from trueup.report.history import minute

    oldest = history.oldest(where)
    if oldest is None:
        return Message("diff.check-first")
    return Message("diff.oldest-is", {"id": oldest.ident, "when": minute(oldest.first)})


def _facts(entry: Entry) -> dict[str, object]:
    if entry.facts is None:
        raise TrueupError(Message("diff.facts-gone", {"id": entry.ident}), Message("diff.take-another"))
    return dict(entry.facts)
