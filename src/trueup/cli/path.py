"""`trueup path`: what PATH holds and leads to; `--fix` mends the user's own by named rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.cli.session import Session
    from trueup.keep.pathvar.mend import Mended, Rule
    from trueup.keep.pathvar.model import View
    from trueup.machine.host import Host


@click.command("path", cls=SayCommand, help="path.help")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--fix", cls=SayOption, is_flag=True, help="path.help-fix")
@click.option("--rule", "rules", cls=SayOption, multiple=True, metavar="RULE", help="path.help-rule")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="path.help-dry-run")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="path.help-yes")
@click.option("--machine", cls=SayOption, metavar="FILE", help="path.help-machine")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="path.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    names: tuple[str, ...],
    fix: bool,
    rules: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    machine: str | None,
    as_json: bool,
) -> int:
    from trueup.keep.pathvar.view import read_view
    from trueup.report.pathvar import as_data, as_text, problems

    chosen = _rules(rules)
    for name in names:
        _check_name(name)
    host, kinds = _host(machine)
    view = read_view(host, names, kinds)
    mended = _mended(host, view, chosen) if view.windows else {}
    if fix and not machine:
        return _fix(session, view, mended, dry_run=dry_run, yes=yes, as_json=as_json)
    if as_json:
        session.out_json(as_data(view, mended, "view"))
    else:
        session.out(as_text(view, mended, session.lang, asked=bool(names)))
    return 1 if problems(view) and not names else 0


def _check_name(name: str) -> None:
    if not name or any(letter in name for letter in "/\\\0:*?"):
        raise TrueupError(Message("path.no-name", {"name": name}), Message("path.no-name-hint"))


def _rules(names: tuple[str, ...]) -> tuple[Rule, ...]:
    from trueup.keep.pathvar.mend import RULES

    wanted = [part.strip() for name in names for part in name.split(",") if part.strip()]
    for name in wanted:
        if name not in RULES:
            hint = Message("path.rules-are", {"names": ", ".join(RULES)})
            raise TrueupError(Message("path.no-such-rule", {"name": name}), hint)
    return tuple(rule for rule in RULES if not wanted or rule in wanted)


def _host(machine: str | None) -> tuple[Host, Mapping[str, str]]:
    if machine is None:
        from trueup.keep.pathvar.change import value_kinds
        from trueup.machine.host import this_host

        return this_host(), value_kinds()
    from trueup.cli.machine_file import read_recording

    return read_recording(machine), {}


def _mended(host: Host, view: View, rules: tuple[Rule, ...]) -> dict[str, Mended]:
    from trueup.keep.pathvar.mend import mend
    from trueup.keep.pathvar.view import read

    found = {"machine": read(view.machine), "user": read(view.user)}
    return {scope: mend(host, variable, rules) for scope, variable in found.items() if variable}


def _fix(
    session: Session, view: View, mended: dict[str, Mended], *, dry_run: bool, yes: bool, as_json: bool
) -> int:
    """Show the difference, ask, write the user's PATH. The machine's is a step for an administrator."""
    from trueup.keep.pathvar.view import read
    from trueup.report.pathvar import as_data, fix_text

    user = mended.get("user")
    if not as_json:
        session.out(fix_text(view, mended, session.lang))
    if user is None or not user.changed:
        if as_json:
            session.out_json(as_data(view, mended, "nothing"))
        return 1 if any(one.changed for one in mended.values()) or not view.windows else 0
    variable = read(view.user)
    if variable is None or variable.kind is None:
        raise TrueupError(Message("path.other-type"), Message("path.other-type-hint"))
    if dry_run:
        if as_json:
            session.out_json(as_data(view, mended, "preview"))
        return 0
    if not yes and not _agreed(session, as_json=as_json):
        session.out(session.text("path.declined"))
        return 1
    from trueup.cli.places import changes_store
    from trueup.keep.pathvar.change import apply

    if not apply(changes_store(), user, variable.kind, "trueup path --fix"):
        raise TrueupError(Message("path.changed-meanwhile"), Message("path.changed-meanwhile-hint"))
    if as_json:
        session.out_json(as_data(view, mended, "fixed"))
    else:
        session.out(session.text("path.fixed"))
    return 0


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("path.needs-yes"), Message("path.needs-yes-hint"))
    return agreed(session, "path.ask", nobody, as_json=as_json)
