"""`trueup trace`: which file the loader would take for every name that a framework needs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.diagnose.trace import Trace
    from trueup.machine.inventory.model import Environment

BINARIES = (".dll", ".pyd", ".exe")


@click.command("trace", cls=SayCommand, help="trace.help")
@click.argument("what", required=False, metavar="[FRAMEWORK|FILE]")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="check.help-env")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="trace.help-json")
@click.pass_obj
def command(session: Session, *, what: str | None, env: str | None, as_json: bool) -> int:
    from trueup.report.trace import as_data, as_text

    title, found = _file(what, env) if what and _is_file(what) else _framework(what, env)
    if as_json:
        session.out_json(as_data(found))
    else:
        session.out(as_text(found, title, session.lang))
    return 1 if found.broken else 0


def _is_file(text: str) -> bool:
    return text.lower().endswith(BINARIES) or ".so" in Path(text).name or Path(text).is_file()


def _subject(framework: str | None, env: str | None) -> tuple[Environment | None, str]:
    from trueup.diagnose.findings.subject import choose
    from trueup.machine.host import this_host
    from trueup.machine.survey import read_survey

    survey = read_survey(this_host(), env_dir=Path(env or ".venv").absolute())
    subject, name = choose(survey, framework, env)
    if subject is None and env:
        raise _no_environment(env)
    return subject, name


def _no_environment(path: str) -> TrueupError:
    return TrueupError(Message("check.no-environment", {"path": path}), Message("check.build-one"))


def _framework(what: str | None, env: str | None) -> tuple[str, Trace]:
    from trueup.diagnose.trace.begin import trace_build
    from trueup.facts import load
    from trueup.machine.host import this_host

    facts = load()
    framework = facts.framework_of(what) if what else None
    if what and framework is None:
        hint = Message("check.frameworks-are", {"names": ", ".join(facts.frameworks())})
        raise TrueupError(Message("check.no-such-framework", {"name": what}), hint)
    subject, name = _subject(framework, env)
    if subject is None:
        raise _no_environment(".venv")
    build = subject.build(name)
    if build is None:
        told = Message("trace.not-installed", {"framework": name, "path": subject.path})
        raise TrueupError(told, Message("check.build-one"))
    found = trace_build(this_host(), subject, build, _open)
    return f"{build.package} {build.version} ({subject.path})", found


def _file(what: str, env: str | None) -> tuple[str, Trace]:
    from trueup.diagnose.trace import name_of, trace
    from trueup.diagnose.trace.begin import search_for
    from trueup.machine.host import this_host

    search = search_for(this_host(), _subject(None, env)[0], _open)
    if Path(what).is_file():
        return what, trace(search, _open, [str(Path(what).absolute())], None)
    return what, name_of(search, _open, what)


def _open(path: str) -> BinaryIO:
    return Path(path).open("rb")
