"""Keeps the journal bounded. What could still be wanted back stays.

A transaction that was taken back goes after 90 days, or once 200 newer ones are there. One that was not goes
only when it is older than a year and 200 newer ones are there. A content goes with the last that names it.
"""

from __future__ import annotations

import time
from contextlib import suppress
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Final

from trueup.setup.files import remove_tree

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from trueup.setup.changes.model import Record

MOST: Final = 200
UNDONE_DAYS: Final = 90
NOT_UNDONE_DAYS: Final = 365
DAY_S: Final = 86400
STAGING: Final = "staging-"  # folders beside the journal in which contents are put together


def drop_old(folder: Path, records: Iterable[Record]) -> None:
    """Remove what is not wanted any more. Raises nothing: what cannot be removed goes next time."""
    wanted, age = set(), 0
    for record in records:
        age += bool(record.changes)
        if _is_over(record, age):
            with suppress(OSError):
                (folder / f"{record.ident}.jsonl").unlink()
        else:
            states = (state for change in record.changes for state in (change.before, change.after))
            wanted |= {state["sha256"] for state in states if isinstance(state, dict) and "sha256" in state}
    # A content is stored a moment before its transaction names it.
    for path in (folder / "blobs").glob("*"):
        with suppress(OSError):
            if path.name not in wanted and path.stat().st_mtime < time.time() - DAY_S:
                path.unlink()
    for path in folder.glob(f"{STAGING}*"):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - DAY_S:
                remove_tree(path)


def _is_over(record: Record, number: int) -> bool:
    days = _age_days(record)
    if not record.changes:
        return record.finished or days > 1
    if record.undone:
        return days > UNDONE_DAYS or number > MOST
    return days > NOT_UNDONE_DAYS and number > MOST


def _age_days(record: Record) -> float:
    try:
        made = datetime.strptime(record.ident.partition(".")[0], "%Y%m%dT%H%M%S").replace(tzinfo=timezone.utc)
    except ValueError:  # somebody renamed it: nobody knows how old it is
        return 0.0
    return (datetime.now(timezone.utc) - made).total_seconds() / DAY_S
