"""`trueup cuda add-cudnn`: the guides' copy of three folders, looked at first, shown, and undoable."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.keep.cuda.add import Addition


@click.command("add-cudnn", cls=SayCommand, help="cuda.help-add-cudnn")
@click.argument("archive", metavar="ARCHIVE")
@click.option("--to", "toolkit", cls=SayOption, required=True, metavar="TOOLKIT", help="cuda.help-to")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="cuda.help-dry-run")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="cuda.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="cuda.help-json-add")
@click.pass_obj
def command(session: Session, *, archive: str, toolkit: str, dry_run: bool, yes: bool, as_json: bool) -> int:
    from trueup.cli.places import changes_store, load
    from trueup.keep.cuda.add import ASIDE, apply, elevated, prepare, writable
    from trueup.machine.host import this_host
    from trueup.report.cuda_add import preview_text

    path, root = Path(archive).absolute(), Path(toolkit).absolute()
    addition = prepare(this_host(), load(), path, root)
    stamp = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S")
    if not as_json:
        session.out(preview_text(addition, str(Path(ASIDE, stamp)), session.lang))
    if dry_run:
        return _end(session, addition, "planned", 0, as_json=as_json)
    if not writable(root):
        line = elevated(path, root)
        return _end(session, addition, "needs-admin", 1, as_json=as_json, line=line)
    if not yes and not _agreed(session, as_json=as_json):
        return _end(session, addition, "declined", 1, as_json=as_json)
    made = apply(addition, changes_store(), stamp)
    return _end(session, addition, "done" if made else "already", 0, as_json=as_json, made=made)


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("cuda.needs-yes"), Message("cuda.needs-yes-hint"))
    return agreed(session, "cuda.add-ask", nobody, as_json=as_json)


def _end(
    session: Session,
    addition: Addition,
    outcome: str,
    code: int,
    *,
    as_json: bool,
    made: int = 0,
    line: str | None = None,
) -> int:
    from trueup.report.cuda_add import as_data

    if as_json:
        session.out_json(as_data(addition, outcome, made, line, session.lang))
        return code
    params = {"version": addition.archive.version, "root": addition.toolkit.root}
    session.out("\n" + session.say(Message(f"cuda.add-{outcome}", params)))
    if line:
        session.out(f"  {line}")
    return code
