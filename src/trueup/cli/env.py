"""`trueup env`: the environments of this machine, of every kind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from trueup.cli.words import SayCommand, SayOption, Spoken, said

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.diagnose.findings import Checkup
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, Survey


# act -> its one-line help: the list of them imports none
ACTS: Final = {"list": "env.help-list", "check": "repair.help-check", "repair": "repair.help-repair"}


class Acts(Spoken, click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return list(ACTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name == "list":
            return _list
        if cmd_name not in ACTS:
            return None
        from trueup.cli import env_repair

        return env_repair.check if cmd_name == "check" else env_repair.repair

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        with formatter.section(said(ctx, "cli.commands")):
            formatter.write_dl([(name, said(ctx, code)) for name, code in ACTS.items()])


@click.command("env", cls=Acts, help="env.help")
def command() -> None:
    """See environments."""


@click.command("list", cls=SayCommand, help="env.help-list")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="env.help-env")
@click.option("--machine", cls=SayOption, metavar="FILE", help="check.help-machine")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="env.help-json")
@click.pass_obj
def _list(session: Session, *, env: str | None, machine: str | None, as_json: bool) -> int:
    from trueup.cli.cuda import read
    from trueup.keep.envs.known import list_all
    from trueup.report.envs import as_data, as_text

    host, survey = read(machine, env)
    listing = list_all(host, survey, () if machine else built_here())
    local = machine is None
    rows = [(one, judged(host, survey, one.environment, local=local)) for one in listing.known]
    half = half_here() if local else frozenset()
    if as_json:
        session.out_json(as_data(listing, rows, session.lang, half))
    else:
        session.out(as_text(listing, rows, session.lang, half))
    return 0


def built_here() -> list[str]:
    """Return the environments that trueup built for this user, or let conda or pixi build, and that are there still."""
    from trueup.cli.places import changes_store
    from trueup.setup.conda import inside

    changes = (change for record in changes_store().records() for change in record.changes)
    paths = (Path(change.target["path"]) for change in changes if change.kind in ("environment", "made"))
    return [str(inside(path)) for path in dict.fromkeys(paths) if path.is_dir()]


def half_here() -> frozenset[str]:
    """Return the environments that a killed build or repair of ours left half-made."""
    from trueup.cli.places import changes_store
    from trueup.setup.changes.made import is_half
    from trueup.setup.conda import inside

    changes = (change for record in changes_store().records() for change in record.changes)
    found = (c.target for c in changes if c.kind in ("made", "repair") and is_half(c.target))
    return frozenset(str(inside(Path(target["path"]))) for target in found)


def judged(host: Host, survey: Survey, environment: Environment, *, local: bool) -> tuple[Checkup, ...]:
    """Judge each framework of an environment as `trueup check --env` would."""
    from trueup.cli.check import looker
    from trueup.cli.places import load
    from trueup.diagnose.findings import check

    named = replace(environment, found_by=("folder", *environment.found_by))
    alone = replace(survey, environments=(named,))
    look = looker(host) if local else None
    return tuple(
        check(alone, load(), framework=build.framework, env=environment.path, look=look)
        for build in environment.builds
    )
