"""`trueup audit FILE...`: what a tutorial or a list of requirements gets wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.session import standard_input
from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.fit.audit.model import System

SYSTEMS = ("windows-native", "wsl2", "linux")


@click.command("audit", cls=SayCommand, help="audit.help")
@click.argument("names", nargs=-1, required=True, metavar="FILE...|-")
@click.option("--os", "system", cls=SayOption, type=click.Choice(SYSTEMS), help="audit.help-os")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="audit.help-json")
@click.pass_obj
def command(session: Session, names: tuple[str, ...], system: System | None, as_json: bool) -> int:
    from trueup.cli.places import load
    from trueup.fit.audit import audit
    from trueup.report.audit import as_data, as_text

    facts = load()
    texts = [
        (name, _text(name)) for name in names
    ]  # a file that cannot be read stops before anything is said
    answers = [audit(text, name, facts, system) for name, text in texts]
    if as_json:
        session.out_json(as_data(answers, session.lang))
    else:
        session.out("\n\n".join(as_text(answer, session.lang) for answer in answers))
    return int(any(answer.findings for answer in answers))


def _text(name: str) -> str:
    from trueup.diagnose.text import decode_line, raw_lines

    try:
        data = standard_input().read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        what = {"path": name, "why": error.strerror or type(error).__name__}
        raise TrueupError(Message("audit.unreadable", what), Message("audit.unreadable-hint")) from error
    joined = b"\n".join(line for group in raw_lines([data]) for line in group)
    return decode_line(joined).replace("\r\n", "\n")
