"""The journal of changes: an intent is on the disk before its change is made, so a kill at any moment can be undone."""

from __future__ import annotations

import json
import os
import secrets
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Final

from trueup.setup.changes.blobs import Blobs
from trueup.setup.changes.kinds import own_kinds
from trueup.setup.changes.model import Change, Outcome, Record
from trueup.setup.errors import SetupError
from trueup.setup.exclusive import exclusive
from trueup.setup.files import failed
from trueup.setup.journal import now

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from trueup.setup.changes.model import Kind, State

SCHEMA: Final = "trueup.changes/1"


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
        """Open a transaction. One that ends by an exception stays open in the journal, and can be undone."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with exclusive(self.folder / "lock", self.folder):
            stamp = datetime.now(timezone.utc).strftime("%Y%m%dT%H%M%S.%f")
            ident = f"{stamp}-{secrets.token_hex(2)}"
            transaction = Transaction(self, ident, self.folder / f"{ident}.jsonl")
            transaction.note("begin", schema=SCHEMA, command=command)
            yield transaction
            transaction.note("end")

    def records(self) -> tuple[Record, ...]:
        """Return the transactions that changed something, the newest first."""
        files = sorted(self.folder.glob("*.jsonl"), reverse=True)
        return tuple(record for path in files if (record := _record(path)) is not None and record.changes)

    def undo(self, record: Record) -> tuple[Outcome, ...]:
        """Take the changes back, the last one first. Each is left alone where somebody changed it since."""
        with exclusive(self.folder / "lock", self.folder):
            outcomes = tuple(self._undo(change) for change in reversed(record.changes))
            results = [outcome.result for outcome in outcomes]
            _append(self.folder / f"{record.ident}.jsonl", "undone", results=results)
        return outcomes

    def _undo(self, change: Change) -> Outcome:
        kind = self.kinds.get(change.kind)
        if kind is None:
            return Outcome(change, "failed", f"this system knows no {change.kind}")
        try:
            present = kind.read(change.target)
            if present == change.before:
                return Outcome(change, "already")
            if present != change.after:
                return Outcome(change, "kept")
            kind.write(change.target, change.before, self.blobs)
        except FileExistsError:
            return Outcome(change, "kept")
        except OSError as error:
            return Outcome(change, "failed", str(error))
        return Outcome(change, "restored")

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

        Raises SetupError where the system refuses, or where the change did not hold.
        """
        [*needed] = self.store.preview([change])
        if not needed:
            return change.seen(change.after)
        seen, kind = needed[0], self.store.kinds[change.kind]
        try:
            kind.keep(seen.target, seen.before, self.store.blobs)
            self.note("intent", change=asdict(seen))
            kind.write(seen.target, seen.after, self.store.blobs)
            holds = kind.read(seen.target) == seen.after
        except OSError as error:
            raise _failed(error, change) from error
        if not holds:
            raise SetupError("not-taken", what=_name(change))
        return seen

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
    lines = [
        event for line in path.read_text("utf-8", errors="replace").split("\n") if (event := _event(line))
    ]
    if not lines or lines[0]["event"] != "begin":
        return None
    undone = [line for line in lines if line["event"] == "undone"]
    return Record(
        ident=path.stem,
        command=lines[0]["command"],
        time=lines[0]["time"],
        changes=tuple(Change(**line["change"]) for line in lines if line["event"] == "intent"),
        finished=any(line["event"] == "end" for line in lines),
        undone=bool(undone) and "failed" not in undone[-1]["results"],
    )


def _event(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) and "event" in value else None


def _failed(error: OSError, change: Change) -> SetupError:
    from pathlib import Path  # noqa: PLC0415

    return failed(error, Path(_name(change)))


def _name(change: Change) -> str:
    return (
        "\\".join(change.target.values())
        if change.kind.startswith("registry")
        else " -> ".join(change.target.values())
    )
