"""`trueup connect EDITOR`: an environment's interpreter and kernel in the editor's own settings."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.keep.connect.model import Connection


@click.command("connect", cls=SayCommand, help="connect.help")
@click.argument("editor", type=click.Choice(["vscode", "pycharm", "jupyter"]))
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="connect.help-env")
@click.option("--project", cls=SayOption, default=".", metavar="FOLDER", help="connect.help-project")
@click.option("--name", cls=SayOption, metavar="NAME", help="connect.help-name")
@click.option("--cell", cls=SayOption, is_flag=True, help="connect.help-cell")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="connect.help-dry-run")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="connect.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="connect.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    editor: str,
    env: str,
    project: str,
    name: str | None,
    cell: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.report.connect import as_data, as_text, steps_text

    if editor != "jupyter" and (name is not None or cell):
        raise TrueupError(Message("connect.only-jupyter"), Message("connect.only-jupyter-hint"))
    if cell:
        from trueup.keep.connect.cell import CELL

        session.out(CELL.rstrip("\n"))
        return 0
    found = _connection(editor, Path(env), Path(project), name)
    if not as_json:
        session.out(as_text(found, session.lang))
    mode = "preview" if dry_run else "nothing" if not found.edits else "done"
    if mode == "done" and not _apply(session, found, f"trueup connect {editor}", yes=yes, as_json=as_json):
        session.out(session.text("connect.declined"))
        return 1
    if as_json:
        session.out_json(as_data(found, mode, session.lang))
    else:
        if mode == "done":
            session.out(session.text("connect.done"))
        session.out("\n" + steps_text(found, session.lang))
    return 0


def _connection(editor: str, env: Path, project: Path, name: str | None) -> Connection:
    from trueup.keep.connect import jupyter, pycharm, vscode
    from trueup.keep.connect.model import Surroundings, target

    around = Surroundings(sys.platform, Path.home(), os.environ, os.linesep)
    found = target(env)
    if editor == "jupyter":
        return jupyter.connect(found, project, around, name)
    if editor == "pycharm":
        return pycharm.connect(found, project, around)
    return vscode.connect(found, project, around)


def _apply(session: Session, found: Connection, said: str, *, yes: bool, as_json: bool) -> bool:
    """Ask and write. Raises TrueupError where nobody can be asked, or where a file changed meanwhile."""
    from trueup.cli.places import changes_store
    from trueup.keep.connect.apply import apply

    if not yes and not _agreed(session, as_json=as_json):
        return False
    if not apply(changes_store(), found, said):
        raise TrueupError(Message("connect.changed-meanwhile"), Message("connect.changed-meanwhile-hint"))
    return True


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("connect.needs-yes"), Message("connect.needs-yes-hint"))
    return agreed(session, "connect.ask", nobody, as_json=as_json)
