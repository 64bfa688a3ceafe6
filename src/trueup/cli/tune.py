"""`trueup tune`: settings of the system: look, show, ask, do. `trueup undo` takes it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.cli.session import Session
    from trueup.keep.tune.apply import Applied
    from trueup.keep.tune.model import Asked, Setting
    from trueup.machine.host import Host
    from trueup.setup.changes import Change, Store


@click.command("tune", cls=SayCommand, help="tune.help")
@click.argument("names", nargs=-1, metavar="[NAME[=VALUE]]...")
@click.option("--all", "everything", cls=SayOption, is_flag=True, help="tune.help-all")
@click.option("--apply", "doing", cls=SayOption, is_flag=True, help="tune.help-apply")
@click.option("--env", cls=SayOption, metavar="FOLDER", help="tune.help-env")
@click.option("--exclude-folder", "exclude", cls=SayOption, metavar="FOLDER", help="tune.help-exclude")
@click.option("--folklore", cls=SayOption, is_flag=True, help="tune.help-folklore")
@click.option("--machine", cls=SayOption, metavar="FILE", help="tune.help-machine")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="tune.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="tune.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    names: tuple[str, ...],
    everything: bool,
    doing: bool,
    env: str | None,
    exclude: str | None,
    folklore: bool,
    machine: str | None,
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.keep.tune.look import look

    asked = _asked(names, env)
    _check(asked, everything=everything, doing=doing, machine=machine)
    host = _host(machine)
    if exclude is not None:
        return _exclusion(session, host, exclude)
    if folklore:
        return _folklore(session, as_json=as_json)
    settings = look(host, asked)
    if doing:
        return _apply(session, names, settings, yes=yes, as_json=as_json)
    _show(session, settings, detail=bool(names), as_json=as_json)
    return 0


def _asked(names: tuple[str, ...], env: str | None) -> Asked:
    from trueup.keep.tune.model import Asked

    pairs = (name.partition("=") for name in names)
    return Asked({name: value or None for name, _, value in pairs}, env)


def _check(asked: Asked, *, everything: bool, doing: bool, machine: str | None) -> None:
    if doing and machine is not None:
        raise TrueupError(Message("tune.apply-to-recording"), Message("tune.apply-where"))
    if asked.values and everything:
        raise TrueupError(Message("tune.names-or-all"), Message("tune.names-or-all-hint"))
    if doing and not asked.values and not everything:
        raise TrueupError(Message("tune.apply-what"), Message("tune.apply-what-hint"))


def _host(machine: str | None) -> Host:
    from trueup.machine.host import this_host

    if machine is None:
        return this_host()
    from trueup.cli.machine_file import read_recording

    return read_recording(machine)


def _show(session: Session, settings: Sequence[Setting], *, detail: bool, as_json: bool) -> None:
    from trueup.keep.tune.knowledge import lore
    from trueup.report.tune import as_data, as_text

    if as_json:
        session.out_json(as_data(settings, lore(), session.lang))
        return
    session.out(as_text(settings, session.lang, detail=detail))
    session.out("")
    advised = [one.name for one in settings if one.verdict == "advised" and one.can_apply]
    if advised:
        session.out(session.text("tune.apply-these", names=" ".join(advised)))
    session.out(session.text("tune.see-folklore"))


def _folklore(session: Session, *, as_json: bool) -> int:
    from trueup.keep.tune.knowledge import lore
    from trueup.report.tune import as_data, lore_text

    if as_json:
        session.out_json(as_data((), lore(), session.lang))
    else:
        session.out(lore_text(lore(), session.lang))
    return 0


def _exclusion(session: Session, host: Host, folder: str) -> int:
    from trueup.keep.tune.exclusion import exclusion

    for text, line in exclusion(host, folder):
        session.out(session.say(text))
        if line:
            session.out(f"    {line}")
    return 0


def _apply(
    session: Session, names: tuple[str, ...], settings: Sequence[Setting], *, yes: bool, as_json: bool
) -> int:
    from trueup.cli.places import changes_store
    from trueup.keep.tune.wslconfig import file_changes
    from trueup.report.tune import as_data, as_text, changes_text

    store = changes_store()
    chosen = [one for one in settings if one.verdict == "advised" and one.can_apply]
    edits = [edit for one in chosen for edit in one.edits]
    asked = [*(change for one in chosen for change in one.changes), *file_changes(edits, store.blobs)]
    changes = store.preview(asked)
    if not as_json:
        session.out(as_text(chosen or settings, session.lang, detail=True))
    if not changes:
        if as_json:
            session.out_json(as_data(settings, (), session.lang, mode="apply", result="nothing"))
        else:
            session.out("\n" + session.text("tune.nothing"))
        return 0 if all(one.verdict == "good" or not names for one in settings) else 1
    if not as_json:
        session.out("\n" + session.text("tune.would-change"))
        session.out(changes_text(changes, session.lang))
        _tell_step(session, changes)
    if not yes and not _agreed(session, as_json=as_json):
        session.out(session.text("tune.declined"))
        return 1
    return _told(session, chosen, _do(store, names, changes), as_json=as_json)


def _tell_step(session: Session, changes: Sequence[Change]) -> None:
    """Show the administrator's step before Windows asks for it."""
    from trueup.keep.elevate import is_admin, needs_admin

    count = sum(map(needs_admin, changes))
    if count and not is_admin():
        session.out("\n" + session.text("tune.one-step", count=count))


def _do(store: Store, names: tuple[str, ...], changes: Sequence[Change]) -> Applied:
    from trueup.keep.elevate import is_admin, run_elevated
    from trueup.keep.tune.apply import apply

    command = " ".join(["trueup tune", *(names or ("--all",)), "--apply"])
    step = None if is_admin() else lambda apart: run_elevated(store.folder, apart)
    return apply(store, command, changes, step)


def _told(session: Session, chosen: Sequence[Setting], applied: Applied, *, as_json: bool) -> int:
    from trueup.report.tune import as_data, changes_text

    if as_json:
        result = {"mode": "apply", "changes": applied.done, "result": applied.result}
        session.out_json(as_data(chosen, (), session.lang, **result))  # type: ignore[arg-type]
        return 0 if applied.result == "done" else 1
    session.out("\n" + session.text(f"tune.result-{applied.result}"))
    if applied.left:
        session.out(changes_text(applied.left, session.lang))
    for step in (step for one in chosen for step in one.steps):
        session.out(f"- {session.say(step.text)}" + (f"\n    {step.command}" if step.command else ""))
    if applied.done:
        if any(one.row.restart for one in chosen):
            session.out(session.text("tune.restart"))
        session.out(session.text("tune.undo"))
    return 0 if applied.result == "done" else 1


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("tune.needs-yes"), Message("tune.needs-yes-hint"))
    return agreed(session, "tune.ask", nobody, as_json=as_json)
