"""`trueup export`: a file that rebuilds an environment elsewhere, and what no file can rebuild."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.saving import save_text
from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.keep.envs.content import Content
    from trueup.machine.inventory.model import Environment

FORMATS = ("conda", "requirements", "pylock")


@click.command("export", cls=SayCommand, help="export.help")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="export.help-env")
@click.option("--format", "form", cls=SayOption, type=click.Choice(FORMATS), help="export.help-format")
@click.option("--no-hashes", cls=SayOption, is_flag=True, help="export.help-no-hashes")
@click.option("--output", "-o", cls=SayOption, metavar="FILE", help="export.help-output")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="export.help-json")
@click.pass_obj
def command(
    session: Session, *, env: str, form: str | None, no_hashes: bool, output: str | None, as_json: bool
) -> int:
    from trueup.keep.envs.content import read_content
    from trueup.machine.host import this_host

    environment = _environment(env)
    content = read_content(this_host(), environment)
    chosen = form or ("conda" if environment.kind == "conda" else "requirements")
    if chosen != "conda" and environment.kind == "conda":
        raise TrueupError(Message("export.conda-only"), Message("export.conda-only-hint"))
    text = _text(environment, content, chosen, hashes=not no_hashes)
    if output is not None:
        _write(Path(output), text)
    if as_json:
        session.out_json(_data(session, environment, content, chosen, text))
    elif output is None:
        session.out(text.rstrip("\n"))
    else:
        session.talk(session.text("export.written", path=output))
    if not as_json:
        _talk(session, content)
    return 1 if content.lost else 0


def _environment(env: str) -> Environment:
    from trueup.machine.host import this_host
    from trueup.machine.inventory.environments import read_environment

    found = read_environment(this_host(), str(Path(env).absolute()), ("folder",), ())
    if found is None:
        raise TrueupError(Message("check.no-environment", {"path": env}), Message("export.name-one"))
    return found


def _text(environment: Environment, content: Content, form: str, *, hashes: bool) -> str:
    from trueup.keep.envs import export
    from trueup.machine.inventory.places import minor

    if form == "conda":
        python = None if environment.kind == "conda" else minor(environment.python.version)
        return export.environment_yml(Path(environment.path).name, content, python)
    text = export.requirements_txt(content)
    if not text.strip() or (form == "requirements" and not hashes):
        return text
    from trueup.setup.hashing import with_hashes
    from trueup.setup.uv import find

    gone = environment.lacks_python or not environment.python.path
    python = minor(environment.python.version) if gone else str(environment.python.path)
    return with_hashes(text, python, find(), "pylock.toml" if form == "pylock" else "requirements.txt")


def _write(path: Path, text: str) -> None:
    if os.path.lexists(path):
        raise TrueupError(Message("export.exists", {"path": str(path)}), Message("export.exists-hint"))
    save_text(path, text)


def _talk(session: Session, content: Content) -> None:
    if content.lost:
        session.talk("\n" + session.text("export.lost-head"))
    for one in content.lost:
        session.talk("  " + session.say(one))
    for one in content.notes:
        session.talk(session.text("export.note", text=session.say(one)))


def _data(
    session: Session, environment: Environment, content: Content, form: str, text: str
) -> dict[str, Any]:
    from trueup.report.redact import redact_all

    document = {
        "schema": "trueup.export/1",
        "environment": environment.path,
        "kind": environment.kind,
        "python": environment.python.version,
        "format": form,
        "text": text,
        "conda": [
            {"name": row.name, "version": row.version, "channel": row.channel} for row in content.conda
        ],
        "pip": [{"name": row.name, "version": row.version, "origin": row.origin} for row in content.pip],
        "lost": [{"id": one.code.partition(".")[2], "text": session.say(one)} for one in content.lost],
        "notes": [session.say(one) for one in content.notes],
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned
