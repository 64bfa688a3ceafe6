"""`trueup watch`: the GPU live or as a stream; `watch -- PROGRAM`: what held its training back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session

LEAST, MOST = 0.1, 3600.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    interval: float
    once: bool
    count: int | None
    json: bool
    csv: bool
    log: str | None
    serve: str | None
    public: bool
    ascii: bool
    pid: int | None = None
    program: tuple[str, ...] = ()


@click.command(
    "watch", cls=SayCommand, help="watch.help", context_settings={"allow_interspersed_args": False}
)
@click.option(
    "--interval", cls=SayOption, type=float, default=1.0, metavar="SECONDS", help="watch.help-interval"
)
@click.option("--once", cls=SayOption, is_flag=True, help="watch.help-once")
@click.option("--count", cls=SayOption, type=click.IntRange(1), metavar="NUMBER", help="watch.help-count")
@click.option("--json", cls=SayOption, is_flag=True, help="watch.help-json")
@click.option("--csv", cls=SayOption, is_flag=True, help="watch.help-csv")
@click.option("--log", cls=SayOption, metavar="FILE", help="watch.help-log")
@click.option("--serve", cls=SayOption, metavar="[HOST:]PORT", help="watch.help-serve")
@click.option("--public", cls=SayOption, is_flag=True, help="watch.help-public")
@click.option("--pid", cls=SayOption, type=click.IntRange(1), metavar="NUMBER", help="watch.help-pid")
@click.option("--ascii", cls=SayOption, is_flag=True, help="watch.help-ascii")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="[-- PROGRAM [ARGUMENT]...]")
@click.pass_obj
def command(
    session: Session,
    *,
    interval: float,
    once: bool,
    count: int | None,
    json: bool,
    csv: bool,
    log: str | None,
    serve: str | None,
    public: bool,
    ascii: bool,  # noqa: A002  # the option's name
    pid: int | None,
    program: tuple[str, ...],
) -> int:
    wanted = Wanted(interval, once, count, json, csv, log, serve, public, ascii, pid, program)
    _check(wanted)
    if program or pid is not None:
        from trueup.cli.watch_program import watch_program

        return watch_program(session, wanted)
    if wanted.serve is not None or wanted.json or wanted.csv:
        from trueup.cli.watch_stream import stream

        return stream(session, wanted)
    from trueup.cli.watch_live import live

    return live(session, wanted)


def _check(wanted: Wanted) -> None:
    if not LEAST <= wanted.interval <= MOST:  # NaN fails too
        told = Message("watch.bad-interval", {"seconds": f"{wanted.interval:g}"})
        raise TrueupError(told, Message("watch.bad-interval-hint"))
    if wanted.json and wanted.csv:
        _exclude("--json", "--csv")
    if wanted.serve is not None and (wanted.json or wanted.csv or wanted.once):
        _exclude("--serve", "--json" if wanted.json else "--csv" if wanted.csv else "--once")
    if wanted.once and wanted.count is not None:
        _exclude("--once", "--count")
    if wanted.program and wanted.pid is not None:
        raise TrueupError(Message("watch.pid-or-program"), Message("watch.pid-or-program-hint"))
    if (wanted.program or wanted.pid is not None) and (wanted.serve is not None or wanted.csv or wanted.once):
        raise TrueupError(Message("watch.program-serve"), Message("watch.program-serve-hint"))
    if wanted.program and wanted.count is not None:
        raise TrueupError(Message("watch.program-serve"), Message("watch.program-serve-hint"))


def _exclude(one: str, other: str) -> None:
    raise TrueupError(
        Message("watch.one-output", {"one": one, "other": other}), Message("watch.one-output-hint")
    )
