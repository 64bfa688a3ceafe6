"""`trueup explain CAUSE|"error line"`: the page about it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session

SYSTEMS = ("windows-native", "wsl2", "linux")


@click.command("explain", cls=SayCommand, help="explain.help")
@click.argument("subject", nargs=-1, required=True, metavar="CAUSE|TEXT")
@click.option("--os", "system", cls=SayOption, type=click.Choice(SYSTEMS), help="explain.help-os")
@click.pass_obj
def command(session: Session, subject: tuple[str, ...], system: str | None) -> int:
    from trueup.diagnose.catalog import causes
    from trueup.diagnose.steps import shell_of
    from trueup.report.explaining import page

    text = " ".join(subject).strip()
    os = system or ("windows-native" if sys.platform == "win32" else "linux")
    name = text if text in causes() else _cause_of(text, system)
    session.out("\n".join(page(name, session.lang, os, shell_of(os))))
    return 0


def _cause_of(text: str, system: str | None) -> str:
    """Return the likeliest cause of a line; refuse with the nearest names where none is known."""
    import difflib

    from trueup.diagnose import diagnose
    from trueup.diagnose.catalog import causes

    found = diagnose(text, {}, system or "unknown").causes
    if found:
        return found[0].cause
    near = difflib.get_close_matches(text, list(causes()), n=3, cutoff=0.4)
    hint = Message("explain.near", {"names": ", ".join(near)}) if near else Message("explain.unknown-hint")
    raise TrueupError(Message("explain.unknown", {"text": text[:120]}), hint)
