"""`trueup bundle`: everything for machines without network, in one folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.fit.model import PREFERENCES, ROUTES
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.cli.session import Session
    from trueup.fit.model import Preference, Route, Wish
    from trueup.machine.model import Machine
    from trueup.setup.bundle.make import Made
    from trueup.setup.bundle.plan import Ask, Plan
    from trueup.setup.uv import Uv

HERE = "here"


@click.command("bundle", cls=SayCommand, help="bundle.help")
@click.argument("wish", nargs=-1, required=True, metavar="FRAMEWORK...")
@click.option(
    "--machine", "machines", cls=SayOption, multiple=True, metavar="FILE", help="bundle.help-machine"
)
@click.option("--output", "-o", cls=SayOption, required=True, metavar="FOLDER", help="bundle.help-output")
@click.option("--python", cls=SayOption, metavar="X.Y", help="up.help-python")
@click.option(
    "--route", "routes", cls=SayOption, multiple=True, type=click.Choice(ROUTES), help="up.help-route"
)
@click.option(
    "--prefer", cls=SayOption, type=click.Choice(PREFERENCES), default="stable", help="up.help-prefer"
)
@click.option(
    "--mirror", "mirrors", cls=SayOption, multiple=True, metavar="NAME|URL", help="mirrors.help-mirror"
)
@click.option(
    "--python-archive",
    "archives",
    cls=SayOption,
    multiple=True,
    metavar="FILE",
    help="bundle.help-python-archive",
)
@click.option("--no-pythons", cls=SayOption, is_flag=True, help="bundle.help-no-pythons")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="bundle.help-dry-run")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="up.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="bundle.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    wish: tuple[str, ...],
    machines: tuple[str, ...],
    output: str,
    python: str | None,
    routes: tuple[Route, ...],
    prefer: Preference,
    mirrors: tuple[str, ...],
    archives: tuple[str, ...],
    no_pythons: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.cli.mirroring import with_sources
    from trueup.fit.model import Wish
    from trueup.report import bundle as words
    from trueup.setup.bundle.make import check_free, check_room

    folder = _folder(output)
    check_free(folder)
    asks = asked(session, Wish(wish, python=python, routes=routes or None, prefer=prefer), machines)
    brought = [Path(file) for file in archives]

    def planned(uv: Uv) -> tuple[Plan, Uv]:
        return _planned(session, asks, folder, uv, brought, pythons=not no_pythons), uv

    made, uv = with_sources(session, mirrors, planned)
    check_room(made, folder)
    if not as_json:
        session.out(words.plan_text(asks, made, folder, session.lang))
    if dry_run:
        return _end(
            session, words.as_data(made, None, "planned"), session.text("bundle.dry-run"), as_json=as_json
        )
    if not yes and not _agreed(session, as_json=as_json):
        return _end(
            session,
            words.as_data(made, None, "declined"),
            session.text("up.declined"),
            as_json=as_json,
            code=1,
        )
    _say_partial(session, "bundle.goes-on", folder)
    whole = _make(session, made, folder, uv, quiet=as_json)
    return _end(
        session,
        words.as_data(made, whole, "made"),
        words.made_text(made, whole, session.lang),
        as_json=as_json,
    )


def _folder(output: str) -> Path:
    if not output.strip():
        raise TrueupError(Message("bundle.output"), Message("bundle.output-hint"))
    return Path(output).absolute()


def asked(session: Session, wish: Wish, machines: Sequence[str]) -> list[Ask]:
    """Decide for each machine. Raises where nothing can be put into one environment."""
    from trueup.cli.places import load
    from trueup.fit.solve import solve
    from trueup.plan.request import request
    from trueup.report.solution import as_text
    from trueup.setup.bundle.plan import Ask

    facts = load()
    asks = []
    for name, machine in _machines(machines).items():
        solution = solve(wish, machine, facts)
        if solution.best is None or solution.beside:
            why = as_text(solution, session.lang, explain=False)
            raise TrueupError(
                Message("bundle.nothing-fits", {"name": name, "why": why}),
                Message("bundle.nothing-fits-hint"),
            )
        asks.append(Ask(name, wish.requirements, solution.best, request(solution.best, machine)))
    return asks


def _machines(files: Sequence[str]) -> dict[str, Machine]:
    from trueup.cli.machine_file import read_machine_file
    from trueup.machine.host import this_host
    from trueup.machine.read import read_machine

    if not files:
        return {HERE: read_machine(this_host(), env_dir=Path.cwd())}
    found: dict[str, Machine] = {}
    for file in files:
        name = re.sub(r"[^\w.-]+", "-", Path(file).stem).strip("-. ") or "machine"
        if name.casefold() in map(str.casefold, found):
            raise TrueupError(
                Message("bundle.same-machine", {"name": name}), Message("bundle.same-machine-hint")
            )
        found[name] = read_machine_file(Path(file))
    return found


def _planned(
    session: Session, asks: Sequence[Ask], folder: Path, uv: Uv, archives: Sequence[Path], *, pythons: bool
) -> Plan:
    from trueup.setup.bundle.make import STATE, partial_of
    from trueup.setup.bundle.plan import Resolver, plan

    def told(question: Any) -> None:
        session.talk(session.text("lock.asks", target=question.uv_platform, python=question.python))

    resolver = Resolver(uv, partial_of(folder) / STATE, told)
    return plan(asks, uv, resolver=resolver, pythons=pythons, given=archives)


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("up.needs-yes"), Message("bundle.needs-yes-hint"))
    return agreed(session, "up.ask", nobody, as_json=as_json)


def _make(session: Session, made: Plan, folder: Path, uv: Uv, *, quiet: bool) -> Made:
    from trueup.cli.places import own_facts
    from trueup.report import bundle as words
    from trueup.report.bundle import Fetching
    from trueup.report.progress import progress
    from trueup.setup.bundle.make import Maker

    view = progress(session.talk, quiet=quiet)
    texts = {
        name: words.readme(made, lang) for name, lang in (("README.md", "en"), ("README.zh-CN.md", "zh_CN"))
    }
    view.start(session.text("bundle.fetching"))
    try:
        shown = Fetching(view, made.bytes)
        return Maker(made, folder, uv, texts, own_facts(), shown.more).make()
    except (KeyboardInterrupt, TrueupError):
        view.close()
        _say_partial(session, "bundle.kept", folder)
        raise
    finally:
        view.close()


def _say_partial(session: Session, code: str, folder: Path) -> None:
    """Name the folder of what was fetched already, where there is one of ours."""
    from trueup.setup.bundle.make import partial_of, size_of_partial

    size = size_of_partial(folder)
    if size is not None:
        from trueup.report.progress import megabytes

        session.talk(session.text(code, path=str(partial_of(folder)), size=megabytes(size)))


def _end(session: Session, data: dict[str, Any], text: str, *, as_json: bool, code: int = 0) -> int:
    if as_json:
        session.out_json(data)
    else:
        session.out(text)
    return code
