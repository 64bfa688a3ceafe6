"""`trueup lock`: the exact packages for a machine, written down with their hashes, wherever it is run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.fit.model import Alignment, Route
    from trueup.machine.model import Machine
    from trueup.plan.request import LockRequest
    from trueup.setup.model import Lock

ROUTES = ("windows-native", "wsl2", "linux", "directml", "cpu")
PREFERENCES = ("newest", "stable", "smallest", "installed")


@click.command("lock", cls=SayCommand, help="lock.help")
@click.argument("wish", nargs=-1, required=True, metavar="FRAMEWORK...")
@click.option("--machine", cls=SayOption, metavar="FILE", help="lock.help-machine")
@click.option("--output", "-o", cls=SayOption, metavar="FILE", help="lock.help-output")
@click.option("--python", cls=SayOption, metavar="X.Y", help="lock.help-python")
@click.option(
    "--route", "routes", cls=SayOption, multiple=True, type=click.Choice(ROUTES), help="lock.help-route"
)
@click.option(
    "--prefer", cls=SayOption, type=click.Choice(PREFERENCES), default="stable", help="lock.help-prefer"
)
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="lock.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    wish: tuple[str, ...],
    machine: str | None,
    output: str | None,
    python: str | None,
    routes: tuple[Route, ...],
    prefer: Any,
    as_json: bool,
) -> int:
    from trueup import setup
    from trueup.fit.model import Wish
    from trueup.plan.request import request

    target = Path(output) if output else None
    _check_name(target)
    here = _machine(machine)
    chosen = _chosen(Wish(wish, python=python, routes=routes or None, prefer=prefer), here)
    if chosen is None:
        session.out(session.text("lock.nothing-fits", wish=" ".join(wish)))
        return 1
    question = request(chosen, here)
    session.talk(session.text("lock.asks", target=question.uv_platform, python=question.python))
    made = setup.lock(question)
    _hand_over(session, made, target, as_json=as_json, answer=_json(chosen, question, made, output))
    session.talk(
        session.text("lock.done", packages=len(made.packages), size=_megabytes(made), route=chosen.route)
    )
    return 0


def _check_name(target: Path | None) -> None:
    """PEP 751 allows `pylock.toml` and `pylock.NAME.toml`; installers refuse others."""
    from packaging.pylock import is_valid_pylock_path

    if target and not is_valid_pylock_path(target):
        raise TrueupError(Message("lock.name", {"name": target.name}), Message("lock.name-hint"))


def _machine(file: str | None) -> Machine:
    from trueup.machine.describe import parse
    from trueup.machine.host import this_host
    from trueup.machine.read import read_machine

    if file is None:
        return read_machine(this_host(), env_dir=Path.cwd())
    return parse(_decoded(Path(file)))


def _decoded(path: Path) -> Any:
    import json

    try:
        return json.loads(path.read_text("utf-8-sig"))
    except OSError as error:
        quote = error.strerror or str(error)
        raise TrueupError(
            Message("lock.unreadable", {"path": str(path), "quote": quote}), Message("lock.unreadable-hint")
        ) from error
    except ValueError as error:
        raise TrueupError(
            Message("lock.not-json", {"path": str(path), "quote": str(error)}),
            Message("lock.unreadable-hint"),
        ) from error


def _chosen(wish: Any, machine: Machine) -> Alignment | None:
    from trueup.cli.places import load
    from trueup.fit.solve import solve

    return solve(wish, machine, load()).best


def _hand_over(
    session: Session, lock: Lock, target: Path | None, *, as_json: bool, answer: dict[str, Any]
) -> None:
    from trueup.setup.files import failed, write_whole

    if target:
        try:
            write_whole(target, lock.text)
        except OSError as error:
            raise failed(error, target) from error
    if as_json:
        session.out_json(answer)
    elif target is None:
        session.out(lock.text.rstrip("\n"))


def _json(chosen: Alignment, question: LockRequest, lock: Lock, output: str | None) -> dict[str, Any]:
    return {
        "schema": "trueup.lock/1",
        "route": chosen.route,
        "python": question.python,
        "platform": question.uv_platform,
        "sha256": lock.sha256,
        "download_bytes": lock.download_bytes,
        "file": output,
        "packages": [
            {
                "name": p.name,
                "version": p.version,
                "file": p.artifact.filename,
                "sha256": p.artifact.sha256,
                "bytes": p.artifact.size,
            }
            for p in lock.packages
        ],
    }


def _megabytes(lock: Lock) -> str:
    return "?" if lock.download_bytes is None else f"{lock.download_bytes / 1e6:.0f}"
