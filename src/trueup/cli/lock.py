"""`trueup lock`: the exact packages for a machine, written down with their hashes, wherever it is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.fit.model import PREFERENCES, ROUTES
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.fit.model import Alignment, Preference, Route
    from trueup.machine.model import Machine
    from trueup.plan.lock import Lock
    from trueup.plan.request import LockRequest
    from trueup.plan.writers.order import Order

FORMATS = ("pylock", "requirements", "conda", "pixi", "docker", "powershell", "shell", "vscode", "check-env")
INSTALLERS = ("uv", "conda", "pixi")


@click.command("lock", cls=SayCommand, help="lock.help")
@click.argument("wish", nargs=-1, required=True, metavar="FRAMEWORK...")
@click.option("--machine", cls=SayOption, metavar="FILE", help="lock.help-machine")
@click.option("--output", "-o", cls=SayOption, metavar="FILE", help="lock.help-output")
@click.option(
    "--format", "form", cls=SayOption, type=click.Choice(FORMATS), default="pylock", help="lock.help-format"
)
@click.option("--python", cls=SayOption, metavar="X.Y", help="lock.help-python")
@click.option(
    "--route", "routes", cls=SayOption, multiple=True, type=click.Choice(ROUTES), help="lock.help-route"
)
@click.option(
    "--prefer", cls=SayOption, type=click.Choice(PREFERENCES), default="stable", help="lock.help-prefer"
)
@click.option(
    "--mirror", "mirrors", cls=SayOption, multiple=True, metavar="NAME|URL", help="mirrors.help-mirror"
)
@click.option(
    "--installer", cls=SayOption, type=click.Choice(INSTALLERS), default="uv", help="env.help-lock-installer"
)
@click.option("--prove", is_flag=True, cls=SayOption, help="lock.help-prove")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="lock.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    wish: tuple[str, ...],
    machine: str | None,
    output: str | None,
    form: str,
    python: str | None,
    routes: tuple[Route, ...],
    prefer: Preference,
    mirrors: tuple[str, ...],
    installer: str,
    prove: bool,
    as_json: bool,
) -> int:
    from trueup import setup
    from trueup.cli.mirroring import with_sources
    from trueup.cli.places import load
    from trueup.fit.model import Wish
    from trueup.fit.solve import solve
    from trueup.report.solution import as_data, as_text

    target = Path(output) if output else None
    form = form if installer == "uv" else f"{installer}-cuda"
    if form == "pylock":
        _check_name(target)
    here = _machine(machine)
    solution = solve(Wish(wish, python=python, routes=routes or None, prefer=prefer), here, load())
    chosen = solution.best
    if chosen is None:
        if as_json:
            session.out_json(as_data(solution, session.lang))
        else:
            session.out(as_text(solution, session.lang, explain=False))
        return 1
    question = _question(chosen, here, form)
    session.talk(session.text("lock.asks", target=question.uv_platform, python=question.python))
    made = with_sources(session, mirrors, lambda uv: setup.lock(question, uv=uv))
    text = _written(form, _order(session, chosen, question, made))
    closed, proof = _proof(session, chosen, here, made) if prove else (True, {})
    answer = _json(chosen, question, made, output) | proof
    _hand_over(session, text, target, as_json=as_json, answer=answer)
    session.talk(
        session.text("lock.done", packages=len(made.packages), size=_megabytes(made), route=chosen.route)
    )
    return 0 if closed else 1


def _proof(session: Session, chosen: Alignment, machine: Machine, made: Lock) -> tuple[bool, dict[str, Any]]:
    """Prove from the wheels' directories that the set is closed; talk, and return whether it is, and data."""
    from trueup.cli.harvesting import connect
    from trueup.proof import closure
    from trueup.report.closure import as_data, as_text

    target = closure.target_of(chosen, machine)
    if target is None:
        has = any(build.flavour == "cuda" for build in chosen.builds)
        session.talk(session.text("closure.machine-cuda" if has else "closure.no-cuda"))
        return True, {}
    _, client = connect(session, None)
    report = closure.prove(closure.locked(made, client), target)
    session.talk(as_text(report, session.lang))
    return report.closed, {"closure": as_data(report, session.lang)}


def _check_name(target: Path | None) -> None:
    """PEP 751 allows `pylock.toml` and `pylock.NAME.toml`; installers refuse others."""
    from packaging.pylock import is_valid_pylock_path

    if target and not is_valid_pylock_path(target):
        raise TrueupError(Message("lock.name", {"name": target.name}), Message("lock.name-hint"))


def _machine(file: str | None) -> Machine:
    from trueup.cli.machine_file import read_machine_file
    from trueup.machine.host import this_host
    from trueup.machine.read import read_machine

    return read_machine_file(Path(file)) if file else read_machine(this_host(), env_dir=Path.cwd())


def _question(chosen: Alignment, machine: Machine, form: str) -> LockRequest:
    from trueup.plan.request import request
    from trueup.plan.writers.docker import GLIBC_MINOR

    question = request(chosen, machine)
    if form != "docker":
        return question
    if question.glibc_minor is None:
        raise TrueupError(Message("lock.no-container"), Message("lock.no-container-hint"))
    return replace(question, glibc_minor=min(question.glibc_minor, GLIBC_MINOR))


def _order(session: Session, chosen: Alignment, question: LockRequest, made: Lock) -> Order:
    from trueup.plan.steps import needs_hook
    from trueup.plan.writers.order import WORDS, Order
    from trueup.setup import hook

    words = {name: session.text(f"plan.{name}", python=question.python) for name in WORDS}
    return Order(chosen, question, made, hook.files() if needs_hook(chosen) else {}, words)


def _written(form: str, order: Order) -> str:
    from trueup.plan.writers import WRITERS, conda_cuda

    by_installer = {"conda-cuda": conda_cuda.environment, "pixi-cuda": conda_cuda.workspace}
    return (by_installer.get(form) or WRITERS[form])(order)


def _hand_over(
    session: Session, text: str, target: Path | None, *, as_json: bool, answer: dict[str, Any]
) -> None:
    from trueup.setup.files import failed, write_whole

    if target:
        try:
            write_whole(target, text)
        except OSError as error:
            raise failed(error, target) from error
    if as_json:
        session.out_json(answer)
    elif target is None:
        session.out(text.rstrip("\n"))


def _json(chosen: Alignment, question: LockRequest, lock: Lock, output: str | None) -> dict[str, Any]:
    packages = [
        {"name": p.name, "version": p.version, "file": a.filename, "sha256": a.sha256, "bytes": a.size}
        for p in lock.packages
        for a in (p.artifact,)
    ]
    return {
        "schema": "trueup.lock/1",
        "route": chosen.route,
        "python": question.python,
        "platform": question.uv_platform,
        "sha256": lock.sha256,
        "download_bytes": lock.download_bytes,
        "file": output,
        "packages": packages,
    }


def _megabytes(lock: Lock) -> str:
    return "?" if lock.download_bytes is None else f"{lock.download_bytes / 1e6:.0f}"
