"""`trueup verify`: prove an environment by training in it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.proving import Shown
    from trueup.cli.session import Session
    from trueup.proof.model import Data, Expected


@click.command("verify", cls=SayCommand, help="verify.help")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="verify.help-env")
@click.option(
    "--device", cls=SayOption, type=click.Choice(["gpu", "cpu", "directml"]), help="verify.help-device"
)
@click.option(
    "--data", cls=SayOption, type=click.Choice(["drawn", "mnist"]), default="drawn", help="verify.help-data"
)
@click.option("--train/--no-train", cls=SayOption, default=True, help="verify.help-train")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="verify.help-json")
@click.pass_obj
def command(
    session: Session, *, env: str, device: Expected | None, data: Data, train: bool, as_json: bool
) -> int:
    from trueup.cli.proving import prove

    folder = Path(env).absolute()
    python = _python(folder, env)
    closed = _closed(session, folder)
    if not train:
        if closed is None:
            params = {"path": env}
            raise TrueupError(Message("verify.no-closure", params), Message("verify.no-closure-hint", params))
        return _tell(session, closed, as_json=as_json)
    expected = device or _announced(folder, env)
    if closed and not as_json:
        session.out(closed.text)
    shown = prove(session, python, expected, quiet=as_json, data=data)
    if closed:
        shown.data["closure"] = closed.data
    return _tell(session, shown, as_json=as_json)


def _closed(session: Session, folder: Path) -> Shown | None:
    from trueup.cli.proving import close
    from trueup.machine.host import this_host
    from trueup.machine.read import read_machine
    from trueup.setup.record import read

    return close(session, folder, read_machine(this_host(), env_dir=folder)) if read(folder) else None


def _tell(session: Session, shown: Shown, *, as_json: bool) -> int:
    if as_json:
        session.out_json(shown.data)
    else:
        session.out(shown.text)
    return shown.status


def _python(folder: Path, asked: str) -> Path:
    from trueup.setup.record import python_of

    python = python_of(folder)
    if not python.exists():
        params = {"path": asked}
        raise TrueupError(
            Message("verify.no-environment", params), Message("verify.no-environment-hint", params)
        )
    return python


def _announced(folder: Path, asked: str) -> Expected:
    """Return what the environment's own record says; a guess would turn a fallback into a proof."""
    from trueup.setup.record import read

    record = read(folder)
    if record is None:
        params = {"path": asked}
        raise TrueupError(Message("verify.no-record", params), Message("verify.no-record-hint", params))
    return record.device
