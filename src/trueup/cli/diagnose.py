"""`trueup diagnose LOG`: any error text in, the one cause and the way out."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.session import standard_input
from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.cli.session import Session
    from trueup.diagnose import Diagnosis

SYSTEMS = {"windows": "windows-native", "windows-native": "windows-native", "wsl2": "wsl2", "linux": "linux"}
CHUNK = 1 << 20


@click.command("diagnose", cls=SayCommand, help="diagnose.help")
@click.argument("log", required=False, metavar="LOG|-")
@click.option("--clip", cls=SayOption, is_flag=True, help="diagnose.help-clip")
@click.option("--given", cls=SayOption, metavar="FILE", help="diagnose.help-given")
@click.option("--machine", cls=SayOption, metavar="FILE", help="diagnose.help-machine")
@click.option("--here", "this", cls=SayOption, is_flag=True, help="diagnose.help-here")
@click.option("--os", "system", cls=SayOption, type=click.Choice(list(SYSTEMS)), help="diagnose.help-os")
@click.option(
    "--shell", cls=SayOption, type=click.Choice(("powershell", "cmd", "bash")), help="diagnose.help-shell"
)
@click.option("--batch", cls=SayOption, metavar="CASES.jsonl", help="diagnose.help-batch")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="diagnose.help-json")
@click.pass_obj
def command(  # noqa: PLR0917  # click hands over one argument an option
    session: Session,
    log: str | None,
    clip: bool,
    given: str | None,
    machine: str | None,
    this: bool,
    system: str | None,
    shell: Any,
    batch: str | None,
    as_json: bool,
) -> int:
    from trueup.diagnose import diagnose_stream
    from trueup.diagnose.case import system_of
    from trueup.report.diagnosis import document, lines, wrong

    if batch is not None:
        return _batch(session, batch)
    surveyed, given_facts = _surveyed(machine, this), read_given(given)
    stated = {**surveyed, **given_facts}
    os = SYSTEMS.get(system or "") or system_of(str(stated.get("os", "")))
    answer = diagnose_stream(_bytes(log, clip), stated, os, surveyed.keys() - given_facts.keys())
    place = os if os != "unknown" else here()
    if as_json:
        session.out_json(document(answer, session.lang, place, shell))
    else:
        session.out("\n".join(lines(answer, session.lang, place, shell)))
    return int(wrong(answer))


def _bytes(log: str | None, clip: bool) -> Iterator[bytes]:
    if clip:
        from trueup.cli.clipboard import read

        return iter([read().encode("utf-8", "surrogatepass")])
    if log is None:
        raise TrueupError(Message("diagnose.no-log"), Message("diagnose.no-log-hint"))
    if log == "-":
        stream = standard_input()
        return iter(lambda: stream.read(CHUNK), b"")
    return _file(Path(log))


def _file(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(CHUNK):
                yield chunk
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> TrueupError:
    why = error.strerror or type(error).__name__
    return TrueupError(
        Message("diagnose.unreadable", {"path": str(path), "why": why}), Message("diagnose.no-log-hint")
    )


def read_given(path: str | None) -> dict[str, Any]:
    """Read stated facts: an object, or a case that holds one under `given`."""
    if path is None:
        return {}
    try:
        value = json.loads(Path(path).read_text("utf-8-sig"))
    except OSError as error:
        raise _unreadable(Path(path), error) from error
    except ValueError as error:
        raise TrueupError(Message("diagnose.bad-given", {"path": path, "why": str(error)})) from error
    if not isinstance(value, dict):
        raise TrueupError(Message("diagnose.bad-given", {"path": path, "why": type(value).__name__}))
    inner = value.get("given")
    return {**inner, "os": value.get("os", "")} if isinstance(inner, dict) else value


def _surveyed(recording: str | None, this: bool) -> dict[str, Any]:
    """Read the facts of a machine that `trueup check --save` wrote down, or of this one."""
    if recording is None and not this:
        return {}
    from trueup.cli.machine_file import read_recording
    from trueup.diagnose.surveyed import stated
    from trueup.machine.host import this_host
    from trueup.machine.survey import read_survey

    if recording is None:
        return dict(stated(read_survey(this_host(), env_dir=str(Path(".venv").absolute()))))
    host = read_recording(recording)
    return dict(stated(read_survey(host, env_dir=host.folder), named=host.named))


def _batch(session: Session, path: str) -> int:
    from trueup.diagnose import diagnose
    from trueup.report.diagnosis import document

    number = 0
    for number, case in enumerate(_cases(path), 1):  # asked after the loop
        log = case.get("log") or []
        text = log if isinstance(log, str) else "\n".join(map(str, log))
        os = str(case.get("os") or "unknown")
        answer: Diagnosis = diagnose(text, case.get("given") or {}, os)
        row = {"id": case.get("id", number), "answer": document(answer, session.lang, os)}
        session.out(json.dumps(row, ensure_ascii=False))
    if not number:
        session.talk(session.text("diagnose.no-cases", path=path))
    return 0


def _cases(path: str) -> Iterator[dict[str, Any]]:
    from trueup.machine.host.decode import decode

    try:
        data = standard_input().read() if path == "-" else Path(path).read_bytes()
        text = decode(data)
    except OSError as error:
        raise _unreadable(Path(path), error) from error
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TrueupError(
                Message("diagnose.bad-case", {"path": path, "line": number, "why": str(error)})
            ) from error
        if not isinstance(case, dict):
            raise TrueupError(
                Message("diagnose.bad-case", {"path": path, "line": number, "why": type(case).__name__})
            )
        yield case


def here() -> str:
    return "windows-native" if sys.platform == "win32" else "linux"
