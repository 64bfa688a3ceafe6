"""`trueup solve`: what fits this machine or a described one, what doesn't, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.fit.model import PREFERENCES, ROUTES
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.fit.model import Preference, Route, Wish
    from trueup.machine.model import Machine

SYSTEMS = ("windows", "wsl2", "linux", "macos")


@click.command("solve", cls=SayCommand, help="solve.help")
@click.argument("wish", nargs=-1, metavar="[REQUIREMENT...]")
@click.option("--machine", "files", cls=SayOption, multiple=True, metavar="FILE", help="solve.help-machine")
@click.option("--os", "system", cls=SayOption, type=click.Choice(SYSTEMS), help="solve.help-os")
@click.option("--arch", cls=SayOption, help="solve.help-arch")
@click.option("--gpu", "gpus", cls=SayOption, multiple=True, metavar="NAME", help="solve.help-gpu")
@click.option("--driver", cls=SayOption, metavar="X.Y", help="solve.help-driver")
@click.option("--os-build", cls=SayOption, metavar="X.Y.Z", help="solve.help-os-build")
@click.option("--glibc", cls=SayOption, metavar="X.Y", help="solve.help-glibc")
@click.option("--python", cls=SayOption, metavar="X.Y", help="solve.help-python")
@click.option(
    "--route", "routes", cls=SayOption, multiple=True, type=click.Choice(ROUTES), help="solve.help-route"
)
@click.option(
    "--prefer", cls=SayOption, type=click.Choice(PREFERENCES), default="stable", help="solve.help-prefer"
)
@click.option("--gpu-required", cls=SayOption, is_flag=True, help="solve.help-gpu-required")
@click.option("--no-wsl", cls=SayOption, is_flag=True, help="solve.help-no-wsl")
@click.option("--batch", cls=SayOption, metavar="FILE", help="solve.help-batch")
@click.option("--explain", cls=SayOption, is_flag=True, help="solve.help-explain")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="solve.help-json")
@click.pass_obj
def command(
    session: Session,
    /,
    *,
    wish: tuple[str, ...],
    files: tuple[str, ...],
    python: str | None,
    routes: tuple[Route, ...],
    prefer: Preference,
    gpu_required: bool,
    no_wsl: bool,
    batch: str | None,
    explain: bool,
    as_json: bool,
    **described: Any,
) -> int:
    from trueup.cli.solve_many import answer_batch, answer_fleet
    from trueup.fit.model import Wish

    # A shell makes `--machine a.json b.json` of `--machine *.json`.
    files += tuple(text for text in wish if text.endswith(".json"))
    wanted = tuple(text for text in wish if not text.endswith(".json"))
    if "required" in described["gpus"]:  # `--gpu required` names no card
        gpu_required = True
        described["gpus"] = tuple(name for name in described["gpus"] if name != "required")
    flag = next((name for name, value in described.items() if value), None)
    if batch is not None:
        if wanted or files or flag:
            raise TrueupError(Message("solve.batch-and-wish"), Message("solve.hint-batch-and-wish"))
        return answer_batch(session, Path(batch))
    asked = Wish(wanted, python, _routes(routes, no_wsl=no_wsl), prefer, gpu_required)
    if files and flag:
        what = {"flag": f"--{flag.replace('_', '-').replace('system', 'os').replace('gpus', 'gpu')}"}
        raise TrueupError(Message("solve.machine-and-flags", what), Message("solve.hint-machine-and-flags"))
    if len(files) > 1:
        return answer_fleet(session, asked, [Path(file) for file in files], as_json=as_json)
    return _answer(session, asked, _machine(files, described), explain=explain, as_json=as_json)


def _answer(session: Session, wish: Wish, machine: Machine, *, explain: bool, as_json: bool) -> int:
    from trueup.cli.places import load
    from trueup.fit.solve import solve
    from trueup.report.solution import as_data, as_text

    solution = solve(wish, machine, load(), every=explain)
    if as_json:
        session.out_json(as_data(solution, session.lang))
    else:
        session.out(as_text(solution, session.lang, explain=explain))
    return 0 if solution.status == "gpu" else 1


def _routes(routes: tuple[Route, ...], *, no_wsl: bool) -> tuple[Route, ...] | None:
    if not no_wsl:
        return routes or None
    allowed: tuple[Route, ...] = ("windows-native", "linux", "directml", "cpu")
    return tuple(route for route in allowed if not routes or route in routes)


def _machine(files: tuple[str, ...], described: dict[str, Any]) -> Machine:
    from trueup.cli.machine_file import read_machine_file

    if files:
        return read_machine_file(Path(files[0]))
    data = {key: value for key, value in described.items() if value}
    if not data:
        return _this_machine()
    if "system" not in data:
        flag = next(iter(data)).replace("_", "-").replace("gpus", "gpu")
        raise TrueupError(
            Message("solve.flags-without-os", {"flag": f"--{flag}"}), Message("solve.hint-flags-without-os")
        )
    from trueup.machine.describe import parse

    data["os"] = data.pop("system")
    if data.get("driver") == "none":
        data["driver"] = None
    if "gpus" in data:
        data["gpus"] = [{"name": name} for name in data["gpus"] if name != "none"]
    return parse(data)


def _this_machine() -> Machine:
    from trueup.machine.host import this_host
    from trueup.machine.read import read_machine

    return read_machine(this_host(), env_dir=str(Path.cwd()))
