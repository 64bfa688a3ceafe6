"""A transaction that is all or nothing while its process lives; after a power cut `trueup undo` takes it back."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.setup.changes import Store, Transaction


@contextmanager
def whole(store: Store, command: str) -> Iterator[Transaction]:
    """Open a transaction. What was made is taken back at once where anything fails, or the user interrupts."""
    begun: list[str] = []
    try:
        with store.begin(command) as transaction:
            begun.append(transaction.ident)
            yield transaction
    except BaseException:
        for record in store.records():
            if record.ident in begun:
                store.undo(record)
        raise
