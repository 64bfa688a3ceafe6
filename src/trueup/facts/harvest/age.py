"""How old the shipped tables are, by the dates that their own sources carry."""

from __future__ import annotations

import datetime as dt
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from trueup.facts.store import DATA

if TYPE_CHECKING:
    from collections.abc import Iterator


class Age(NamedTuple):
    """Of one table, or of a folder of tables of one kind: the days on which their sources were read."""

    table: str
    oldest: str
    newest: str

    def days(self, today: dt.date) -> int:
        """Return the age of the oldest reading."""
        return (today - dt.date.fromisoformat(self.oldest)).days


def ages() -> tuple[Age, ...]:
    """Return the age of all shipped tables that carry dates, by name."""
    dates: dict[str, set[str]] = {}
    for path in DATA.rglob("*.json"):
        name = path.relative_to(DATA).with_suffix("").parts[0]
        dates.setdefault(name, set()).update(_dates(json.loads(path.read_bytes())))
    return tuple(Age(name, min(found), max(found)) for name, found in sorted(dates.items()) if found)


def _dates(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        date = value.get("date")
        if isinstance(date, str):
            yield date
        for inner in value.values():
            yield from _dates(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _dates(inner)
