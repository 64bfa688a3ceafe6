"""Changes that are all or nothing while their process lives; after a power cut `trueup undo` takes them back."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from trueup.values import TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.setup.changes.model import Change
    from trueup.setup.changes.store import Store, Transaction


@contextmanager
def whole(store: Store, command: str) -> Iterator[Transaction]:
    """Open a transaction. What was made is taken back at once where anything fails, or the user interrupts."""
    begun: list[str] = []
    try:
        with store.begin(command) as transaction:
            begun.append(transaction.ident)
            yield transaction
    except BaseException:
        _take_back(store, begun)
        raise


@contextmanager
def announced(store: Store, command: str, change: Change) -> Iterator[None]:
    """Journal a change that the caller makes now, and may take an hour for: the journal is free meanwhile.

    Where it fails, or the user interrupts, it is taken back at once.
    """
    with store.begin(command) as transaction:
        transaction.intend(change)
    try:
        yield
    except BaseException:
        _take_back(store, [transaction.ident])
        raise


def _take_back(store: Store, idents: list[str]) -> None:
    """Undo what can be undone; the rest stays in the journal for `trueup undo`: why it came to this is told first."""
    with suppress(TrueupError, OSError):
        for record in store.records():
            if record.ident in idents:
                store.undo(record)
