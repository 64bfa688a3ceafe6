"""`trueup facts`: what the tables know of a release, a card, a driver or a CUDA line, with its sources."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption, Spoken, said

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.cli.session import Session

LOOKUPS = ("gpu", "driver", "cuda", "matrix")
ELSEWHERE = ("harvest", "status", "update")  # each is a command of its own file, `facts_NAME`


class Lookups(Spoken, click.Group):
    """`facts gpu NAME`, `facts driver NUMBER` …; any other first word is a framework or package."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return [*LOOKUPS, *ELSEWHERE]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name in ELSEWHERE:
            found: click.Command = importlib.import_module(f"trueup.cli.facts_{cmd_name}").command
            return found
        made = {"gpu": _gpu, "driver": _driver, "cuda": _cuda, "matrix": _matrix}
        return made[cmd_name] if cmd_name in made else _release_of(cmd_name)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        rows = [("NAME [VERSION]", said(ctx, "facts.help-release"))]
        rows += [(name, said(ctx, f"facts.help-{name}")) for name in self.list_commands(ctx)]
        with formatter.section(said(ctx, "cli.commands")):
            formatter.write_dl(rows)


def _options(function: Callable[..., Any]) -> Callable[..., Any]:
    function = click.option("--json", "as_json", cls=SayOption, is_flag=True, help="facts.help-json")(
        function
    )
    return click.option("--sources", "with_sources", cls=SayOption, is_flag=True, help="facts.help-sources")(
        function
    )


@click.command("facts", cls=Lookups, help="facts.help", invoke_without_command=True)
@_options
@click.pass_context
def command(ctx: click.Context, as_json: bool, with_sources: bool) -> int | None:
    if ctx.invoked_subcommand is not None:
        return None
    from trueup.cli.places import load
    from trueup.facts.lookup import overview

    return _show(ctx.obj, overview(load()), as_json=as_json, with_sources=with_sources)


_os_option = click.option(
    "--os", cls=SayOption, type=click.Choice(["windows", "linux"]), help="facts.help-os"
)


@click.command("gpu", cls=SayCommand, help="facts.help-gpu")
@click.argument("name", nargs=-1, required=True, metavar="NAME")
@_options
@click.pass_obj
def _gpu(session: Session, name: tuple[str, ...], as_json: bool, with_sources: bool) -> int:
    from trueup.facts import load
    from trueup.facts.lookup import gpu

    return _show(session, gpu(load(), " ".join(name)), as_json=as_json, with_sources=with_sources)


@click.command("driver", cls=SayCommand, help="facts.help-driver")
@click.argument("number", metavar="NUMBER")
@_options
@click.pass_obj
def _driver(session: Session, number: str, as_json: bool, with_sources: bool) -> int:
    from trueup.facts import load
    from trueup.facts.lookup import driver

    return _show(session, driver(load(), number), as_json=as_json, with_sources=with_sources)


@click.command("cuda", cls=SayCommand, help="facts.help-cuda")
@click.argument("version", metavar="VERSION")
@_options
@click.pass_obj
def _cuda(session: Session, version: str, as_json: bool, with_sources: bool) -> int:
    from trueup.cli.places import load
    from trueup.facts.lookup import cuda

    return _show(session, cuda(load(), version), as_json=as_json, with_sources=with_sources)


@click.command("matrix", cls=SayCommand, help="facts.help-matrix")
@click.argument("name", metavar="FRAMEWORK")
@_os_option
@_options
@click.pass_obj
def _matrix(session: Session, name: str, os: str | None, as_json: bool, with_sources: bool) -> int:
    from trueup.cli.places import load
    from trueup.facts.lookup import matrix

    return _show(session, matrix(load(), name, os), as_json=as_json, with_sources=with_sources)


def _release_of(name: str) -> click.Command:
    """Return the command for `facts NAME [VERSION]`."""

    @click.command(name, cls=SayCommand, help="facts.help-release")
    @click.argument("version", required=False, metavar="VERSION")
    @_os_option
    @_options
    @click.pass_obj
    def look_up(
        session: Session, version: str | None, os: str | None, as_json: bool, with_sources: bool
    ) -> int:
        from trueup.cli.places import load
        from trueup.facts.lookup import library, release

        facts = load()
        is_library = facts.framework_of(name) is None
        answer = library(facts, name, version) if is_library else release(facts, name, version, os)
        return _show(session, answer, as_json=as_json, with_sources=with_sources)

    return look_up


def _show(session: Session, answer: dict[str, Any], *, as_json: bool, with_sources: bool) -> int:
    if as_json:
        session.out_json(answer)
        return 0
    from trueup.report.facts import render, render_sources

    session.out(render(answer, session.lang))
    if with_sources:
        from trueup.facts.lookup import sources

        session.out(render_sources(sources(answer), session.lang))
    return 0
