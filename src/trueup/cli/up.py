"""`trueup up`: read, decide, show, ask, build, prove."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.fit.model import PREFERENCES, ROUTES
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.cli.up_walk import Walk
    from trueup.fit.model import Preference, Route

INSTALLERS = ("uv", "conda", "pixi")


@click.command("up", cls=SayCommand, help="up.help")
@click.argument("wish", nargs=-1, metavar="FRAMEWORK...")
@click.option("--env", cls=SayOption, default=".venv", metavar="FOLDER", help="up.help-env")
@click.option("--from", "source", cls=SayOption, metavar="BUNDLE", help="bundle.help-from")
@click.option(
    "--mirror", "mirrors", cls=SayOption, multiple=True, metavar="NAME|URL", help="mirrors.help-mirror"
)
@click.option("--python", cls=SayOption, metavar="X.Y", help="up.help-python")
@click.option(
    "--route", "routes", cls=SayOption, multiple=True, type=click.Choice(ROUTES), help="up.help-route"
)
@click.option(
    "--prefer", cls=SayOption, type=click.Choice(PREFERENCES), default="stable", help="up.help-prefer"
)
@click.option(
    "--installer", cls=SayOption, type=click.Choice(INSTALLERS), default="uv", help="env.help-installer"
)
@click.option("--prove/--no-prove", cls=SayOption, default=None, help="up.help-prove")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="bundle.help-dry-run")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="up.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="up.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    wish: tuple[str, ...],
    env: str,
    source: str | None,
    mirrors: tuple[str, ...],
    python: str | None,
    routes: tuple[Route, ...],
    prefer: Preference,
    installer: Literal["uv", "conda", "pixi"],
    prove: bool | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.cli.up_walk import Walk
    from trueup.fit.model import Wish

    folder = _folder(env)
    how = How(prove, dry_run=dry_run, yes=yes, installer=installer)
    if source is not None:
        return _from_bundle(
            session,
            source,
            wish,
            folder,
            how,
            as_json=as_json,
            own=bool(python or routes or mirrors or installer != "uv"),
        )
    if not wish:
        raise TrueupError(Message("up.no-wish"), Message("up.no-wish-hint"))
    _known(mirrors)
    asked = Wish(wish, python=python, routes=routes or None, prefer=prefer)
    walk = Walk.begin(session, asked, folder, as_json=as_json, half=_half(folder, installer))
    walk.mirrors = mirrors
    return _through(walk, how)


@dataclass(frozen=True)
class How:
    """What to do and what not."""

    prove: bool | None
    dry_run: bool
    yes: bool
    installer: Literal["uv", "conda", "pixi"] = "uv"


def _half(env: Path, installer: str) -> bool:
    """Tell whether a killed build by conda or pixi left the folder, which the next one replaces."""
    if installer == "uv" or not os.path.lexists(env):
        return False
    from trueup.cli.up_conda import half

    return half(env) is not None


def _known(mirrors: tuple[str, ...]) -> None:
    """Refuse a mirror that nobody knows before anything is decided."""
    if mirrors:
        from trueup.setup.mirrors import find

        for name in mirrors:
            find(name)


def _folder(env: str) -> Path:
    if not env.strip():
        raise TrueupError(Message("up.no-env"), Message("up.no-env-hint"))
    if not os.path.lexists(env):  # what is there already is looked at first
        from trueup.setup.room import check_place

        check_place(Path(env))
    return Path(env)


def _from_bundle(
    session: Session, source: str, wish: tuple[str, ...], env: Path, how: How, *, as_json: bool, own: bool
) -> int:
    from trueup.cli.up_from import begin, opened

    if own:  # the bundle decides: an option that is not heeded would be a promise
        raise TrueupError(Message("bundle.decides"), Message("bundle.decides-hint"))
    with opened(session, Path(source), quiet=as_json) as bundle:
        return _through(begin(session, bundle, wish, env, as_json=as_json), how)


def _through(walk: Walk, how: How) -> int:
    from trueup.cli.up_walk import device_of
    from trueup.setup.sweeping import sweep

    if how.installer != "uv":
        return _by_conda(walk, how, how.installer)
    if walk.state.name in ("complete", "changed"):
        sweep(walk.env)
        return walk.finished(prove=how.prove)
    chosen = walk.chosen()
    if chosen is None:
        return walk.first_change()
    walk.check_free()
    walk.show(chosen)
    if how.dry_run:
        return walk.planned()
    if not how.yes and not _agreed(walk.session, as_json=walk.as_json):
        return walk.declined()
    made = walk.build(chosen)
    return walk.unproven() if how.prove is False else walk.prove(made, device_of(chosen.route))


def _by_conda(walk: Walk, how: How, installer: Literal["conda", "pixi"]) -> int:
    from trueup.cli import up_conda

    program = up_conda.begin(walk, installer)
    chosen = walk.chosen()
    if chosen is None:
        return walk.first_change()
    walk.show(chosen)
    if how.dry_run:
        return walk.planned()
    if not how.yes and not _agreed(walk.session, as_json=walk.as_json):
        return walk.declined()
    python = up_conda.build(walk, chosen, program)
    return up_conda.prove(walk, chosen, python, wanted=how.prove)


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("up.needs-yes"), Message("up.needs-yes-hint"))
    return agreed(session, "up.ask", nobody, as_json=as_json)
