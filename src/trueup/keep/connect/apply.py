"""Makes the edits of a connection through the journal, if the files still are what was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.keep.connect.model import content
from trueup.setup.changes.files import file_change
from trueup.setup.changes.whole import whole

if TYPE_CHECKING:
    from trueup.keep.connect.model import Connection
    from trueup.setup.changes import Store


def apply(store: Store, connection: Connection, command: str) -> bool:
    """Tell whether the edits were made, all or none; a file that changed meanwhile stops them. Raises SetupError."""
    with whole(store, command) as transaction:
        if any(content(edit.path) != edit.before for edit in connection.edits):
            return False
        for edit in connection.edits:
            transaction.apply(file_change(edit.path, edit.after, store.blobs))
    return True
