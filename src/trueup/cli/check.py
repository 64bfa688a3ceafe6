"""`trueup check`: read every layer of this machine and name the one root cause."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from trueup.cli.saving import save_text
from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.cli.session import Session
    from trueup.diagnose.findings import Checkup
    from trueup.machine.host import Host
    from trueup.machine.inventory.live import Live
    from trueup.machine.inventory.model import Environment, FrameworkBuild, Survey

GOOD = ("aligned", "ready")
DRIVER = ("nvcuda.dll", "libcuda.so.1")  # brought by the driver, which has findings of its own


@click.command("check", cls=SayCommand, help="check.help")
@click.argument("framework", required=False)
@click.option("--env", cls=SayOption, metavar="FOLDER", help="check.help-env")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="check.help-json")
@click.option("--markdown", cls=SayOption, is_flag=True, help="check.help-markdown")
@click.option("--html", cls=SayOption, metavar="FILE", help="check.help-html")
@click.option("--live", cls=SayOption, is_flag=True, help="check.help-live")
@click.option("--save", cls=SayOption, metavar="FILE", help="check.help-save")
@click.option("--machine", cls=SayOption, metavar="FILE", help="check.help-machine")
@click.pass_obj
def command(
    session: Session,
    *,
    framework: str | None,
    env: str | None,
    as_json: bool,
    markdown: bool,
    html: str | None,
    live: bool,
    save: str | None,
    machine: str | None,
) -> int:
    from trueup.machine.host import Recording, this_host

    if machine is not None and live:
        raise TrueupError(Message("check.live-of-recording"), Message("check.live-where"))
    host, folder = _asked(machine, env) if machine else (this_host(), str(Path(env or ".venv").absolute()))
    env = env or (folder if named_by(host) else None)
    recording = Recording(host, folder, named=env is not None) if save else None
    checkup = examine(recording or host, framework, env, folder, replayed=machine is not None, live=live)
    if machine is None:
        from trueup.cli import remember

        checkup = remember.check(session, checkup, host, "en" if markdown else None)
    if recording is not None and save is not None:
        _save(recording, save)
        session.talk(session.text("check.saved", path=save))
    if html is not None:
        from trueup.report.check_html import as_html

        save_text(html, as_html(checkup, session.lang) + "\n")
        session.talk(session.text("check.saved", path=html))
    _show(session, checkup, as_json=as_json, markdown=markdown)
    return 0 if checkup.outcome in GOOD else 1


def _asked(file: str, env: str | None) -> tuple[Host, str | None]:
    """Return a recorded machine, and the environment that it was asked about unless another is."""
    from trueup.cli.machine_file import read_recording

    host = read_recording(file)
    return host, env or host.folder


def named_by(host: Host) -> bool:
    """Tell whether a recorded machine was asked about one environment by name."""
    from trueup.machine.host import RecordedHost

    return isinstance(host, RecordedHost) and host.named


def examine(
    host: Host, framework: str | None, env: str | None, folder: str | None, *, replayed: bool, live: bool
) -> Checkup:
    """Judge a machine. `replayed`: it is a recording, whose binaries cannot be read."""
    from trueup.cli.places import load
    from trueup.diagnose.findings import check
    from trueup.machine.survey import read_survey

    facts = load()
    wanted = facts.framework_of(framework) if framework else None
    if framework and wanted is None:
        raise TrueupError(
            Message("check.no-such-framework", {"name": framework}),
            Message("check.frameworks-are", {"names": ", ".join(facts.frameworks())}),
        )
    survey = read_survey(host, env_dir=folder)
    answers = _imported(host, survey, wanted) if live else ()
    look = None if replayed else looker(host)
    checkup = check(survey, facts, framework=wanted, env=env, answers=answers, look=look)
    if env and checkup.subject is None:
        raise TrueupError(Message("check.no-environment", {"path": env}), Message("check.build-one"))
    return checkup


def looker(host: Host) -> Callable[[Environment, FrameworkBuild], tuple[str, ...] | None]:
    """Return what reads the binaries of this machine; a recording holds none."""

    def look(environment: Environment, build: FrameworkBuild) -> tuple[str, ...] | None:
        from trueup.diagnose.trace.begin import trace_build

        found = trace_build(host, environment, build, open_binary)
        lost = (node.name for node in found.broken if node.how == "load" and node.missing)
        return tuple(name for name in lost if name not in DRIVER) if found.loads_known else None

    return look


def open_binary(path: str) -> BinaryIO:
    return Path(path).open("rb")


def _imported(host: Host, survey: Survey, framework: str | None) -> tuple[Live, ...]:
    from trueup.machine.inventory.live import ask_live
    from trueup.values import Unknown

    found = () if isinstance(survey.environments, Unknown) else survey.environments
    asked = [(one, build.framework) for one in found for build in one.builds]
    return tuple(ask_live(host, one, name) for one, name in asked if framework in (None, name))


def _show(session: Session, checkup: Checkup, *, as_json: bool, markdown: bool) -> None:
    from trueup.report import check as words

    if as_json:
        session.out_json(words.as_data(checkup, session.lang))
    elif markdown:
        from trueup.report.check_markdown import as_markdown

        session.out(as_markdown(checkup, session.lang))
    else:
        session.out(words.as_text(checkup, session.lang))


def _save(recording: object, path: str) -> None:
    import json

    from trueup.machine.host import Recording
    from trueup.report.redact import redact_all

    if isinstance(recording, Recording):
        save_text(path, json.dumps(redact_all(recording.document()), ensure_ascii=False, indent=1) + "\n")
