"""`trueup explain CAUSE|"error line"|WORDS`: the page about it, or the pages that speak of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session

LIKELY = 0.5
SYSTEMS = ("windows-native", "wsl2", "linux")


@click.command("explain", cls=SayCommand, help="explain.help")
@click.argument("subject", nargs=-1, required=True, metavar="CAUSE|TEXT")
@click.option("--os", "system", cls=SayOption, type=click.Choice(SYSTEMS), help="explain.help-os")
@click.pass_obj
def command(session: Session, subject: tuple[str, ...], system: str | None) -> int:
    from trueup.diagnose.catalog import causes
    from trueup.diagnose.steps import shell_of
    from trueup.report import explaining

    text = " ".join(subject).strip()
    os = system or ("windows-native" if sys.platform == "win32" else "linux")
    name = text if text in causes() else None if explaining.is_finding(text) else _cause_of(text, system)
    if name is not None:
        lines = list(explaining.page(name, session.lang, os, shell_of(os)))
    elif explaining.is_finding(text):
        lines = list(explaining.finding(text, session.lang))
    else:
        lines = list(explaining.pages_about(text, session.lang))
    if not lines:
        known = Message("explain.known", {"count": len(causes()), "layers": explaining.layers(session.lang)})
        raise TrueupError(Message("explain.unknown", {"text": text[:120]}), known)
    session.out("\n".join(lines))
    return 0


def _cause_of(text: str, system: str | None) -> str | None:
    """Return the likeliest cause of a line; None where plain words, or a line that tells little, name none."""
    from trueup.diagnose import diagnose

    found = diagnose(text, {}, system or "unknown").causes
    return found[0].cause if found and found[0].confidence >= LIKELY else None
