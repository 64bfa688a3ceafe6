"""`trueup self`: the program itself; `uninstall` leaves nothing of it, `add-path` puts it on the user's PATH."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption, Spoken, said
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.setup.changes import Record, Store
    from trueup.setup.installed import Installed

ADD_PATH = "trueup self add-path"


class Parts(Spoken, click.Group):
    """`self uninstall`, `self add-path`."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # click's signature
        return ["add-path", "uninstall"]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        return {"add-path": _add_path, "uninstall": _uninstall}.get(cmd_name)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        rows = [(name, said(ctx, f"self.help-{name}")) for name in self.list_commands(ctx)]
        with formatter.section(said(ctx, "cli.commands")):
            formatter.write_dl(rows)


@click.command("self", cls=Parts, help="self.help")
def command() -> None:
    """Do nothing of its own."""


@click.command("add-path", cls=SayCommand, help="self.help-add-path")
@click.pass_obj
def _add_path(session: Session) -> int:
    from trueup.cli.places import changes_store, data_folder
    from trueup.setup import installed
    from trueup.setup.changes.search_path import added
    from trueup.setup.changes.whole import whole

    found = installed.read(data_folder())
    if found is None:
        raise TrueupError(Message("self.not-installed"), Message("self.not-installed-hint"))
    store = changes_store()
    folder = found.launcher.parent
    changes = store.preview(added(folder, store.blobs))
    if not changes:
        session.out(session.text("self.on-path", folder=str(folder)))
        return 0
    with whole(store, ADD_PATH) as transaction:
        for change in changes:
            transaction.apply(change)
    session.out(session.text("self.added", folder=str(folder), where=changes[-1].name))
    return 0


@click.command("uninstall", cls=SayCommand, help="self.help-uninstall")
@click.option("--environments", cls=SayOption, is_flag=True, help="self.help-environments")
@click.option("--undo/--keep-changes", cls=SayOption, default=None, help="self.help-undo")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="self.help-dry-run")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="self.help-yes")
@click.pass_obj
def _uninstall(session: Session, *, environments: bool, undo: bool | None, dry_run: bool, yes: bool) -> int:
    from trueup.cli.places import changes_store, data_folder, own_folders
    from trueup.setup import homes, installed

    store, found, folders = changes_store(), installed.read(data_folder()), own_folders()
    mine, changes, builds = _sorted(session, store)
    envs = homes.environments(builds)
    _show(session, found, folders, changes, envs, gone=environments)
    if dry_run:
        return 0
    if not yes and not _yes(session, "self.ask"):
        session.out(session.text("undo.declined"))
        return 1
    if changes and undo is None:
        undo = _decided(session, yes=yes)
    wanted = [*mine, *(changes if undo else ()), *(builds if environments else ())]
    if wanted and _take_back(session, store, wanted):
        session.talk(session.text("self.stopped"))
        return 1
    keep = homes.needed(data_folder(), homes.users(store.records()))
    stays = _stays(session, store, keep)  # looked up while the journal and the words are there
    left = installed.remove(found, folders, keep)
    session.out("\n".join(_end(session, found, stays, left)))
    return 1 if left else 0


def _stays(session: Session, store: Store, pythons: Sequence[Path]) -> list[str]:
    """Return what an uninstall leaves on purpose, each with the reason."""
    from trueup.cli.places import data_folder
    from trueup.keep.clean.trash import folders
    from trueup.setup import homes

    records = store.records()
    rows = [("env", path) for path in homes.users(records)]
    rows += [("python", path) for path in pythons]
    rows += [("trash", path) for path in folders(records, data_folder())]
    return [session.text(f"self.stays-{name}", path=str(path)) for name, path in rows]


def _end(
    session: Session, found: Installed | None, stays: Sequence[str], left: Sequence[Path]
) -> Iterator[str]:
    """Say what is gone, and claim no more."""
    if left:
        yield session.text("self.left")
        yield from (f"  {path}" for path in left)
    if stays:
        yield session.text("self.stays")
        yield from (f"  {line}" for line in stays)
    yield session.text("self.not-all" if left else "self.gone" if found else "self.gone-but-program")


def _sorted(session: Session, store: Store) -> tuple[list[Record], list[Record], list[Record]]:
    """Return what is not taken back: PATH of trueup itself, changes of the machine, builds of environments."""
    from trueup.cli.undo import Looker

    mine: list[Record] = []
    changes: list[Record] = []
    builds: list[Record] = []
    looker = Looker(session, store)
    for record in store.records():
        if record.undone or all(look.outlook == "already" for look in looker(record)):
            continue
        only_builds = all(change.kind == "environment" for change in record.changes)
        (mine if record.command == ADD_PATH else builds if only_builds else changes).append(record)
    return mine, changes, builds


def _show(
    session: Session,
    found: Installed | None,
    folders: Sequence[Path],
    changes: Sequence[Record],
    envs: Sequence[Path],
    *,
    gone: bool,
) -> None:
    from trueup.report.undo import history_text

    program = [found.tool, found.launcher] if found else []
    goes = [f"  {path}" for path in (*program, *folders) if path.exists()]
    lines = [session.text("self.removes"), *goes] if goes else [session.text("self.removes-nothing")]
    if found is None:
        lines += [session.text("self.stays"), "  " + session.text("self.by-others", python=sys.prefix)]
    if changes:
        lines += [session.text("self.changes"), history_text(changes, session.lang)]
    if envs:
        lines += [session.text("self.envs-go" if gone else "self.envs-stay"), *(f"  {env}" for env in envs)]
    session.out("\n".join(lines))


def _take_back(session: Session, store: Store, records: Sequence[Record]) -> int:
    from trueup.cli.undo import take_back

    return take_back(session, store, sorted(records, key=lambda record: record.ident, reverse=True))


def _decided(session: Session, *, yes: bool) -> bool:
    if yes:
        raise TrueupError(Message("self.undo-first"), Message("self.undo-first-hint"))
    return _yes(session, "self.ask-undo")


def _yes(session: Session, question: str) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("undo.needs-yes"), Message("self.needs-yes-hint"))
    return agreed(session, question, nobody)
