"""`trueup cuda`: the copies of CUDA on a machine, and what is wrong with global ones."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption, Spoken, said

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.keep.cuda.model import Scene
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Survey

ACTS = ("list", "doctor", "use", "add-cudnn")


class Acts(Spoken, click.Group):
    """What only looks is here; what changes something is a command of its own file, `cuda_NAME`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(ACTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in ACTS:
            return None
        if cmd_name in ("list", "doctor"):
            return {"list": _list, "doctor": _doctor}[cmd_name]
        name = cmd_name.replace("-", "_")
        found: click.Command = importlib.import_module(f"trueup.cli.cuda_{name}").command
        return found

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section(said(ctx, "cli.commands")):
            formatter.write_dl([(name, said(ctx, f"cuda.help-{name}")) for name in ACTS])


@click.command("cuda", cls=Acts, help="cuda.help")
def command() -> None:
    """See, examine and fill toolkits."""


@click.command("list", cls=SayCommand, help="cuda.help-list")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="cuda.help-env")
@click.option("--machine", cls=SayOption, metavar="FILE", help="check.help-machine")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="cuda.help-json-list")
@click.pass_obj
def _list(session: Session, *, env: str | None, machine: str | None, as_json: bool) -> int:
    from trueup.keep.cuda.copies import all_copies
    from trueup.report.cuda import list_data, list_text

    host, survey = read(machine, env)
    found = all_copies(host, survey)
    if as_json:
        session.out_json(list_data(found, session.lang))
    else:
        session.out(list_text(found, session.lang))
    return 0


@click.command("doctor", cls=SayCommand, help="cuda.help-doctor")
@click.argument("toolkit", required=False, metavar="[FOLDER]")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="cuda.help-env")
@click.option("--machine", cls=SayOption, metavar="FILE", help="check.help-machine")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="cuda.help-json-doctor")
@click.pass_obj
def _doctor(
    session: Session, *, toolkit: str | None, env: str | None, machine: str | None, as_json: bool
) -> int:
    from trueup.keep.cuda.examined import examined
    from trueup.report.cuda import doctor_data, doctor_text

    host, survey = read(machine, env)
    asked = str(Path(toolkit).absolute()) if toolkit and not machine else toolkit
    found = examined(scene_of(host, survey, local=machine is None), asked)
    if as_json:
        session.out_json(doctor_data(found, session.lang))
    else:
        session.out(doctor_text(found, session.lang))
    return 1 if found.outcome in ("problems", "unknown") else 0


def read(machine: str | None, env: str | None) -> tuple[Host, Survey]:
    """Return this machine or a recorded one, with all that is installed."""
    from trueup.cli.machine_file import read_recording
    from trueup.machine.host import this_host
    from trueup.machine.survey import read_survey

    if machine is not None:
        recorded = read_recording(machine)
        return recorded, read_survey(recorded, env_dir=env or recorded.folder)
    host = this_host()
    return host, read_survey(host, env_dir=Path(env or ".venv").absolute())


def scene_of(host: Host, survey: Survey, *, local: bool) -> Scene:
    from trueup.cli.places import load
    from trueup.keep.cuda.model import Scene
    from trueup.values import Unknown

    machine = () if isinstance(survey.cuda, Unknown) else survey.cuda
    environments = () if isinstance(survey.environments, Unknown) else survey.environments
    imports = _imports if local else None
    return Scene(host, load(), machine, environments, imports)


def _imports(path: str) -> tuple[str, ...] | None:
    """Return the DLLs that a file of this machine imports; a recording holds no binaries."""
    from trueup.facts.binary import BadBinary, dll_names

    try:
        with Path(path).open("rb") as file:
            return dll_names(file)
    except (OSError, BadBinary):
        return None
