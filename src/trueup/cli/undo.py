"""`trueup undo`: shows what the last command changed on this PC, asks, takes it back."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from trueup.cli.words import SayCommand, SayOption
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.cli.session import Session
    from trueup.setup.changes import Look, Outcome, Record, Store

LEFT = ("failed", "in-use", "kept")


@click.command("undo", cls=SayCommand, help="undo.help")
@click.option("--list", "listing", cls=SayOption, is_flag=True, help="undo.help-list")
@click.option("--all", "everything", cls=SayOption, is_flag=True, help="undo.help-all")
@click.option("--id", "ident", cls=SayOption, metavar="ID", help="undo.help-id")
@click.option("--dry-run", cls=SayOption, is_flag=True, help="undo.help-dry-run")
@click.option("--yes", "-y", cls=SayOption, is_flag=True, help="undo.help-yes")
@click.option("--json", "as_json", cls=SayOption, is_flag=True, help="undo.help-json")
@click.pass_obj
def command(
    session: Session,
    *,
    listing: bool,
    everything: bool,
    ident: str | None,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> int:
    from trueup.cli.places import changes_store
    from trueup.report.undo import as_data, history_text, preview_text

    store = changes_store()
    records = store.records()
    if listing:
        if as_json:
            session.out_json(as_data("list", [(record, None) for record in records]))
        else:
            session.out(history_text(records, session.lang))
        return 0
    look = Looker(session, store, quiet=as_json)
    chosen = _chosen(look, records, ident, everything=everything)
    if not chosen:
        if as_json:
            session.out_json(as_data("nothing", []))
        else:
            session.out(session.text("undo.nothing"))
        return 0
    if not as_json and not (yes and not dry_run):
        session.out("\n".join(preview_text(record, looks, session.lang) for record, looks in chosen))
    if dry_run:
        if as_json:
            session.out_json(as_data("preview", chosen))
        return 0
    if not yes and not _agreed(session, as_json=as_json):
        session.out(session.text("undo.declined"))
        return 1
    return take_back(session, store, [record for record, _ in chosen], as_json=as_json)


def take_back(session: Session, store: Store, records: Sequence[Record], *, as_json: bool = False) -> int:
    """Take transactions back, in the order given, and say what became of each thing.

    A Python that a bundle brought goes with the last environment that is made of it.
    """
    from trueup.cli.places import data_folder
    from trueup.report.undo import as_data, history_text, outcome_text
    from trueup.setup import homes

    rows: list[tuple[Record, Sequence[Outcome]]] = []
    data = data_folder()
    pythons = homes.needed(data, homes.environments(records))
    for record in records:
        _as_admin(store, record)
        with shown(session, "undo.works", record, quiet=as_json):
            outcomes = store.undo(record)
        rows.append((record, outcomes))
        if not as_json:
            session.out(history_text([record], session.lang))
            session.out(outcome_text(outcomes, session.lang))
    for python in homes.remove_unused(data, pythons, homes.users(store.records())):
        if not as_json:
            session.out(session.text("undo.python-gone", path=str(python)))
    left = any(outcome.result in LEFT for _, outcomes in rows for outcome in outcomes)
    if as_json:
        session.out_json(as_data("undone", rows))
    else:
        session.out(session.text("undo.left" if left else "undo.done"))
    return 1 if left else 0


class Looker:
    """Looks at transactions; what takes a while is said meanwhile."""

    def __init__(self, session: Session, store: Store, *, quiet: bool = False) -> None:
        self._session, self._store, self._quiet = session, store, quiet

    def __call__(self, record: Record) -> tuple[Look, ...]:
        with shown(self._session, "undo.looks", record, quiet=self._quiet):
            return self._store.look(record)

    def passes(self, record: Record) -> None:
        """Say that a newer command is passed over: else nobody sees that `undo` means an older one."""
        if not self._quiet:
            names = ", ".join(dict.fromkeys(change.name for change in record.changes))
            self._session.talk(self._session.text("undo.passed", command=record.command, names=names))


@contextmanager
def shown(session: Session, code: str, record: Record, *, quiet: bool) -> Iterator[None]:
    """Say what is at work where an environment is among the changes: each of its thousands of files is looked at."""
    from trueup.report.progress import progress

    kinds = ("environment", "made", "repair")
    envs = [change.name for change in record.changes if change.kind in kinds]
    view = progress(session.talk, quiet=quiet or not envs)
    try:
        if envs:
            view.start(session.text(code, name=envs[0]))
        yield
    finally:
        view.close()


def _as_admin(store: Store, record: Record) -> None:
    """Let Windows ask once for what only an administrator may take back."""
    if sys.platform == "win32":
        from trueup.keep.elevate import is_admin, run_elevated
        from trueup.keep.tune.apply import undo_apart

        if not is_admin():
            undo_apart(store, record, lambda apart: run_elevated(store.folder, apart))


def _chosen(
    look: Looker, records: Sequence[Record], ident: str | None, *, everything: bool
) -> list[tuple[Record, tuple[Look, ...]]]:
    """Return what was asked for, with how it looks now; of the last ones, those that are so already are passed."""
    if ident and everything:
        raise TrueupError(Message("undo.id-or-all"), Message("undo.id-or-all-hint"))
    if ident:
        found = [record for record in records if record.ident == ident]
        if not found:
            raise TrueupError(Message("undo.no-such-id", {"id": ident}), Message("undo.no-such-id-hint"))
        return [(found[0], look(found[0]))]
    chosen: list[tuple[Record, tuple[Look, ...]]] = []
    for record in records:
        looks = () if record.undone else look(record)
        if any(one.outlook != "already" for one in looks):
            chosen.append((record, looks))
            if not everything:
                break
        elif looks:
            look.passes(record)
    return chosen


def _agreed(session: Session, *, as_json: bool) -> bool:
    from trueup.cli.asking import agreed

    nobody = TrueupError(Message("undo.needs-yes"), Message("undo.needs-yes-hint"))
    return agreed(session, "undo.ask", nobody, as_json=as_json)
