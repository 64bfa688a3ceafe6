"""The journal of changes: an intent is on the disk before its change is made, so a kill at any moment can be undone.

It is bounded: `retention` says what goes, and when.
"""

from __future__ import annotations

import errno
import json
import os
import secrets
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from trueup.setup.changes.blobs import Blobs
from trueup.setup.changes.kinds import own_kinds
from trueup.setup.changes.model import (
    Change,
    InSteps,
    InUse,
    LeavesRests,
    Look,
    NeedsOthers,
    Outcome,
    Record,
    SetsAside,
)
from trueup.setup.changes.retention import drop_old
from trueup.setup.errors import SetupError
from trueup.setup.exclusive import exclusive
from trueup.setup.files import failed
from trueup.setup.journal import events_of, now

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trueup.setup.changes.model import Kind, State

SCHEMA: Final = "trueup.changes/1"
WAIT_S: Final = 20  # for another trueup, which holds the journal for a moment
USER_VARIABLES: Final = "hkcu\\environment"
UNDO_LEFT: Final = ("failed", "in-use")  # what another try may take back


class Store:
    """All transactions of one user, a file each, in one folder; contents of files beside them."""

    def __init__(self, folder: Path, kinds: Mapping[str, Kind] | None = None) -> None:
        self.folder = folder
        self.kinds = {**own_kinds(), **(kinds or {})}
        self.blobs = Blobs(folder / "blobs")

    def preview(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        """Return the changes with what is there now, without those that are so already. Raises SetupError."""
        seen = (change.seen(self._read(change)) for change in changes)
        return tuple(change for change in seen if change.needed)

    @contextmanager
    def begin(self, command: str) -> Iterator[Transaction]:
        """Open a transaction; one at a time, never one in another.

        One that ends by an exception stays open in the journal, and can be undone. Raises SetupError.
        """
        with self._held():
            self._sweep()
            stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S.%f")
            ident = f"{stamp}-{secrets.token_hex(2)}"
            transaction = Transaction(self, ident, self.folder / f"{ident}.jsonl")
            transaction.note("begin", schema=SCHEMA, command=command)
            yield transaction
            transaction.note("end")
            record = _record(transaction.path)
            _announce(record.changes if record else ())
            drop_old(self.folder, self.records(empty=True))

    def records(self, *, empty: bool = False) -> tuple[Record, ...]:
        """Return the transactions, the newest first; without those that changed nothing, but for `empty`."""
        files = sorted(self.folder.glob("*.jsonl"), reverse=True)
        found = (record for path in files if (record := _record(path)) is not None)
        return tuple(record for record in found if empty or record.changes)

    def look(self, record: Record) -> tuple[Look, ...]:
        """Return what `undo` would do now, in its order. Changes nothing."""
        states: dict[str, State] = {}
        return tuple(self._look(change, states) for change in reversed(record.changes))

    def undo(self, record: Record) -> tuple[Outcome, ...]:
        """Take the changes back, the last one first. Each is left alone where somebody changed it since."""
        with self._held():
            outcomes = tuple(self._undo(change) for change in reversed(record.changes))
            results = [outcome.result for outcome in outcomes]
            _append(self.folder / f"{record.ident}.jsonl", "undone", results=results)
            _announce(o.change for o in outcomes if o.result == "restored")
        return outcomes

    def _sweep(self) -> None:
        """Remove what killed transactions left beside their targets; what cannot be removed waits for `undo`."""
        for record in self.records():
            for change in () if record.finished or record.undone else record.changes:
                kind = self.kinds.get(change.kind)
                if isinstance(kind, LeavesRests):
                    with suppress(OSError):
                        kind.sweep(change.target)

    @contextmanager
    def _held(self) -> Iterator[None]:
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise failed(error, self.folder) from error
        with ExitStack() as stack:
            until = time.monotonic() + WAIT_S
            while not self._taken(stack, last=time.monotonic() > until):
                time.sleep(0.1)
            yield

    def _taken(self, stack: ExitStack, *, last: bool) -> bool:
        try:
            stack.enter_context(exclusive(self.folder / "lock", self.folder))
        except SetupError as error:
            if last or error.kind != "busy":
                raise
            return False
        return True

    def _look(self, change: Change, states: dict[str, State]) -> Look:
        """Look at one change; `states` holds what those after it will have left behind."""
        kind = self.kinds.get(change.kind)
        if kind is None:
            return Look(change, "failed", f"this system knows no {change.kind}")
        name = os.path.normcase(json.dumps([change.kind, dict(change.target)], sort_keys=True))
        try:
            present = states[name] if name in states else kind.read(change.target)
            using = kind.holders(change.target) if isinstance(kind, SetsAside) else ()
        except OSError as error:
            return Look(change, "failed", str(error))
        states[name] = present
        if present == change.before:
            return Look(change, "already")
        if using:
            return Look(change, "in-use", ", ".join(using))
        if present == change.after or _half(kind, change, present):
            states[name] = change.before
            return Look(change, "restorable")
        since = kind.since(change, present) if isinstance(kind, SetsAside) else None
        return Look(change, "kept") if since is None else Look(change, "moves", since=since)

    def _undo(self, change: Change) -> Outcome:
        kind = self.kinds.get(change.kind)
        if kind is None:
            return Outcome(change, "failed", f"this system knows no {change.kind}")
        try:
            if isinstance(kind, LeavesRests):
                kind.sweep(change.target)
            present = kind.read(change.target)
            if present == change.before:
                return Outcome(change, "already")
            if present == change.after or _half(kind, change, present):
                kind.write(change.target, change.before, self.blobs)
                return Outcome(change, "restored")
            if isinstance(kind, SetsAside) and kind.since(change, present) is not None:
                return Outcome(change, "moved", kind.set_aside(change.target))
        except FileExistsError:
            return Outcome(change, "kept")
        except InUse as error:
            return Outcome(change, "in-use", str(error))
        except OSError as error:
            return Outcome(change, "failed", str(error))
        return Outcome(change, "kept")

    def _read(self, change: Change) -> State:
        try:
            return self.kinds[change.kind].read(change.target)
        except OSError as error:
            raise _failed(error, change) from error


@dataclass(frozen=True, slots=True)
class Transaction:
    """An open transaction; changes are made one by one."""

    store: Store
    ident: str
    path: Path

    def apply(self, change: Change) -> Change:
        """Make one change and return it with what was there before; where it is so already, do nothing.

        What it lies in is made, and journaled, first.
        Raises SetupError where the system refuses, or where the change did not hold.
        """
        [*needed] = self.store.preview([change])
        if not needed:
            return change.seen(change.after)
        seen, kind = needed[0], self.store.kinds[change.kind]
        if isinstance(kind, NeedsOthers):
            for other in kind.needs(seen.target, seen.after):
                self.apply(other)
        try:
            kind.keep(seen.target, seen.before, self.store.blobs)
            self.intend(seen)
            kind.write(seen.target, seen.after, self.store.blobs)
            holds = kind.read(seen.target) == seen.after
        except OSError as error:
            raise _failed(error, change) from error
        if not holds:
            raise SetupError("not-taken", what=change.name)
        return seen

    def intend(self, change: Change) -> None:
        """Write down a change that the caller makes next, without another look."""
        self.note("intent", change=asdict(change))

    def note(self, event: str, **values: Any) -> None:
        """Add a line to the journal; it is on the disk when this returns."""
        _append(self.path, event, **values)


def _append(path: Path, event: str, **values: Any) -> None:
    with path.open("a", encoding="utf-8", newline="\n") as file:
        # A line that a kill cut off must not swallow this one.
        file.write(("\n" if file.tell() else "") + json.dumps({"event": event, "time": now(), **values}))
        file.flush()
        os.fsync(file.fileno())


def _record(path: Path) -> Record | None:
    lines = events_of(path.read_text("utf-8", errors="replace").split("\n"))
    if not lines or lines[0]["event"] != "begin":
        return None
    try:
        return _read_record(path, lines)
    except (KeyError, TypeError, ValueError):  # of a newer trueup, or edited by hand: it stays as it is
        return None


def _read_record(path: Path, lines: list[dict[str, Any]]) -> Record:
    undone = [line for line in lines if line["event"] == "undone"]
    return Record(
        ident=path.stem,
        command=lines[0]["command"],
        time=lines[0]["time"],
        changes=tuple(Change(**line["change"]) for line in lines if line["event"] == "intent"),
        finished=any(line["event"] == "end" for line in lines),
        undone=bool(undone) and not any(left in undone[-1]["results"] for left in UNDO_LEFT),
    )


def _half(kind: Kind, change: Change, present: State) -> bool:
    return isinstance(kind, InSteps) and kind.between(change, present)


def _announce(changes: Iterable[Change]) -> None:
    if sys.platform == "win32" and any(
        change.kind == "registry" and change.target["key"].lower() == USER_VARIABLES for change in changes
    ):
        from trueup.setup.changes.registry import announce_environment  # noqa: PLC0415

        announce_environment()


def _failed(error: OSError, change: Change) -> SetupError:
    if error.errno == errno.EXDEV:
        return SetupError("other-disk", what=change.target["from"], goal=change.target["to"])
    return failed(error, Path(change.name))
