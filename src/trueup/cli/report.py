"""`trueup report`: everything about this machine and its environment in one page for somebody who helps."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.saving import save_text
from trueup.cli.words import SayCommand, SayOption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.cli.session import Session
    from trueup.diagnose.findings import Checkup
    from trueup.diagnose.trace import Trace
    from trueup.machine.host import Host

ENTRIES = 20


@click.command("report", cls=SayCommand, help="report.help")
@click.argument("framework", required=False)
@click.option(
    "--output", "-o", cls=SayOption, default="trueup-report.html", metavar="FILE", help="report.help-output"
)
@click.option("--env", cls=SayOption, metavar="FOLDER", help="check.help-env")
@click.option("--machine", cls=SayOption, metavar="FILE", help="check.help-machine")
@click.option("--watch-log", cls=SayOption, metavar="FILE", help="report.help-watch-log")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="report.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    framework: str | None,
    output: str,
    env: str | None,
    machine: str | None,
    watch_log: str | None,
    as_json: bool,
) -> int:
    from trueup.report.html import as_page

    material = _material(framework, env, machine, watch_log)
    page = as_page(material, session.lang)
    size = save_text(output, page + "\n")
    if as_json:
        checkup = material.checkup
        told = {"schema": "trueup.report/1", "path": output, "bytes": size, "outcome": checkup.outcome}
        session.out_json({**told, "cause": checkup.cause.id if checkup.cause else None})
    else:
        session.out(session.text("report.written", path=output, kilobytes=-(-size // 1000)))
        session.talk(session.text("report.read-it"))
    return 0


def _material(framework: str | None, env: str | None, machine: str | None, log: str | None) -> Any:
    import json
    from datetime import datetime

    from trueup.cli.check import examine, named_by
    from trueup.cli.watch_log import read_log
    from trueup.machine.host import Recording, this_host
    from trueup.report.html import Material
    from trueup.report.redact import redact_all

    host, folder = _asked(machine, env) if machine else (this_host(), str(Path(env or ".venv").absolute()))
    samples, verdict, skipped = read_log(log) if log else ((), None, 0)
    env = env or (folder if named_by(host) else None)
    recording = Recording(host, folder, named=env is not None)
    checkup = examine(recording, framework, env, folder, replayed=machine is not None, live=False)
    proof = _proof(recording, checkup)
    trace, absent = (None, "report.no-trace-recorded") if machine else _trace(host, checkup)
    document = json.loads(json.dumps(redact_all(recording.document())))
    return Material(
        checkup=checkup,
        machine=without_host(document, _computer(machine)),
        date=datetime.now().astimezone().isoformat(sep=" ", timespec="minutes"),
        proof=without_host(redact_all(proof), _computer(machine)),
        trace=trace,
        no_trace=absent,
        samples=without_host(redact_all(samples), _computer(machine)),
        verdict=without_host(redact_all(verdict), _computer(machine)),
        skipped=skipped,
        **({} if machine else _past(checkup, host)),
    )


def _asked(file: str, env: str | None) -> tuple[Host, str | None]:
    from trueup.cli.machine_file import read_recording

    host = read_recording(file)
    return host, env or host.folder


def _proof(host: Host, checkup: Checkup) -> Mapping[str, Any] | None:
    """Return the proof that the environment carries; asked through the host, so that the recording has it too."""
    import json

    from trueup.machine.host import HostError, path_of

    if checkup.subject is None:
        return None
    try:
        text = host.read_text(path_of(host).join(checkup.subject.path, "trueup.json"))
        proof = json.loads(text or "null")["proof"]
    except (HostError, ValueError, TypeError, KeyError):
        return None
    return proof if isinstance(proof, dict) else None


def _trace(host: Host, checkup: Checkup) -> tuple[Trace | None, str]:
    from trueup.cli.check import open_binary
    from trueup.diagnose.trace.begin import trace_build

    build = checkup.subject.build(checkup.framework) if checkup.subject else None
    if checkup.subject is None or build is None:
        return None, "report.no-trace-framework"
    return trace_build(host, checkup.subject, build, open_binary), ""


def _past(checkup: Checkup, host: Host) -> dict[str, Any]:
    """Return what is kept of this machine; a history that cannot be read leaves its place empty."""
    from trueup.cli import remember
    from trueup.history import Trouble

    history = remember.store()
    entry = remember.checked(checkup, host)
    try:
        since = remember.worked(history, entry)
        found: dict[str, Any] = {"entries": history.newest(ENTRIES, machine=entry.machine)}
    except Trouble:
        return {}
    return found if since is None else {**found, "good": since[0], "changes": since[1]}


def _computer(machine: str | None) -> str:
    """Return the name of this computer; that of a recorded one is not known here."""
    import platform

    return "" if machine else platform.node()


def without_host(value: Any, name: str) -> Any:
    """Return a JSON value in which the computer is not named, whole words only."""
    import re

    if len(name) < 3:
        return value
    pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)

    def clean(inner: Any) -> Any:
        if isinstance(inner, str):
            return pattern.sub("computer", inner)
        if isinstance(inner, dict):
            return {key: clean(one) for key, one in inner.items()}
        return [clean(one) for one in inner] if isinstance(inner, list) else inner

    return clean(value)
