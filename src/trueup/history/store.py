"""The file of the history: bounded, thinned, never in anybody's way."""

# ruff: noqa: S608  # the parts of the questions are constants of this file; values are always bound

from __future__ import annotations

import json
import sqlite3
import zlib
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, TypeVar

from trueup.history.database import Trouble, open_database
from trueup.history.model import Entry, Reach

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trueup.history.model import Facts

__all__ = ["Limits", "Store", "Trouble"]

T = TypeVar("T")
NAME: Final = "history.sqlite3"
_COLUMNS = (
    "first, last, times, kind, verdict, reach, cause, framework, machine, env, place, numbers, facts, id"
)
_HERE = "machine = ? AND env = ? AND framework = ?"


@dataclass(frozen=True, slots=True)
class Limits:
    """`size` in bytes of what is in use; freed pages are used again."""

    rows: int = 20_000
    size: int = 32 << 20


class Store:
    """Raises `Trouble` where the history cannot be used; `moved` names what was damaged and is out of the way."""

    def __init__(self, folder: Path, limits: Limits | None = None, *, wait: float = 2.0) -> None:
        self._path = folder / NAME
        self._limits = limits or Limits()
        self._wait = wait
        self.moved: Path | None = None

    def add(self, entry: Entry, now: int) -> int:
        """Keep an entry and return its number; an equal answer in a row only counts up the one before."""
        return self._anew(lambda: self._add(entry, now))

    def _add(self, entry: Entry, now: int) -> int:
        with open_database(self, self._path, self._wait) as db:
            db.execute("BEGIN IMMEDIATE")
            digest = _keep_facts(db, entry.facts)
            same = self._same(db, entry, digest)
            ident = _count_up(db, same, now) if same else _insert(db, entry, digest, now)
            self._bound(db)
            db.execute("COMMIT")
            return ident

    def _anew(self, act: Callable[[], T]) -> T:
        """Do it, once more where a damaged file was found and is out of the way now."""
        try:
            return act()
        except Trouble as trouble:
            if trouble.kind != "damaged":
                raise
            return act()

    def _same(self, db: sqlite3.Connection, entry: Entry, digest: bytes | None) -> int | None:
        """Return the newest entry, where it says the same; measured numbers are each kept."""
        names = "framework, kind, verdict, cause, facts"
        asked = f"SELECT id, {names} FROM entries WHERE machine = ? AND env = ? ORDER BY id DESC LIMIT 1"
        row = db.execute(asked, (entry.machine, entry.env)).fetchone()
        said = (entry.framework, entry.kind, entry.verdict, entry.cause, digest)
        return None if row is None or entry.numbers or row[1:] != said else int(row[0])

    def _bound(self, db: sqlite3.Connection) -> None:
        ends = "SELECT (SELECT min(id) FROM entries), (SELECT max(id) FROM entries)"  # each by the index
        low, high = db.execute(ends).fetchone()
        if high - low + 1 > self._limits.rows:
            rows = db.execute("SELECT count(*) FROM entries").fetchone()[0]
            if rows > self._limits.rows:
                _drop_oldest(db, rows - self._limits.rows * 9 // 10)
        if _in_use(db) > self._limits.size:
            _drop_oldest(db, db.execute("SELECT count(*) FROM entries").fetchone()[0] // 2)

    def newest(self, count: int, *, machine: str | None = None, env: str | None = None) -> list[Entry]:
        """Return the newest entries without their facts, the newest first."""
        where = " AND ".join(f"{name} = ?" for name, value in (("machine", machine), ("env", env)) if value)
        table = "entries" if env else "entries NOT INDEXED"  # else a machine's million rows would be sorted
        asked = f"SELECT {_COLUMNS} FROM {table} {'WHERE ' + where if where else ''} ORDER BY id DESC LIMIT ?"
        return self._rows(asked, (*filter(None, (machine, env)), count))

    def get(self, ident: int) -> Entry | None:
        return self._one("id = ?", (ident,))

    def at(self, moment: int, where: tuple[str, str, str]) -> Entry | None:
        """Return how it was at a moment."""
        return self._one(f"{_HERE} AND first <= ? ORDER BY first DESC, id DESC", (*where, moment))

    def last_good(self, where: tuple[str, str, str], reach: Reach = Reach.CARD) -> Entry | None:
        """Return the newest entry that reached so far."""
        return self._one(f"{_HERE} AND reach = ? ORDER BY id DESC", (*where, int(reach)))

    def oldest(self, where: tuple[str, str, str]) -> Entry | None:
        return self._one(f"{_HERE} ORDER BY first, id", where)

    def _one(self, condition: str, params: tuple[Any, ...]) -> Entry | None:
        asked = f"SELECT {_COLUMNS} FROM entries WHERE {condition} LIMIT 1"
        return next(iter(self._rows(asked, params, facts=True)), None)

    def _rows(self, asked: str, params: tuple[Any, ...], *, facts: bool = False) -> list[Entry]:
        """Return entries, with their facts where asked; none where nothing was kept yet."""

        def read() -> list[Entry]:
            if not self._path.exists():
                return []
            with open_database(self, self._path, self._wait, read=True) as db:
                rows = db.execute(asked, params).fetchall()
                return [_entry(row, _read_facts(db, row[12]) if facts else None) for row in rows]

        return self._anew(read)


def _keep_facts(db: sqlite3.Connection, facts: Facts | None) -> bytes | None:
    """Keep facts once, however many entries share them."""
    if facts is None:
        return None
    text = json.dumps(facts, ensure_ascii=False, sort_keys=True).encode("utf-8", "surrogatepass")
    digest = blake2b(text, digest_size=16).digest()
    db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (digest, zlib.compress(text)))
    return digest


def _read_facts(db: sqlite3.Connection, digest: bytes | None) -> Facts | None:
    row = db.execute("SELECT body FROM facts WHERE digest = ?", (digest,)).fetchone() if digest else None
    try:
        found: Any = json.loads(zlib.decompress(row[0]).decode("utf-8", "surrogatepass")) if row else None
    except (zlib.error, ValueError, TypeError):
        return None
    return found if isinstance(found, dict) else None


def _count_up(db: sqlite3.Connection, ident: int, now: int) -> int:
    """Count an equal answer; a clock that was set back moves nothing back."""
    db.execute("UPDATE entries SET times = times + 1, last = max(last, ?) WHERE id = ?", (now, ident))
    return ident


def _insert(db: sqlite3.Connection, entry: Entry, digest: bytes | None, now: int) -> int:
    values = replace(entry, first=now, last=now)
    numbers = json.dumps(dict(values.numbers)) if values.numbers else None
    row = (
        *(
            values.first,
            values.last,
            values.times,
            values.kind,
            values.verdict,
            int(values.reach),
            values.cause,
        ),
        *(values.framework, values.machine, values.env, values.place, numbers, digest),
    )
    names = _COLUMNS.removesuffix(", id")
    done = db.execute(f"INSERT INTO entries ({names}) VALUES ({', '.join('?' * len(row))})", row)
    return int(done.lastrowid or 0)


def _entry(row: tuple[Any, ...], facts: Facts | None) -> Entry:
    names = [name.strip() for name in _COLUMNS.split(",")]
    values = dict(zip(names, row, strict=True))
    values["facts"], values["ident"] = facts, values.pop("id")
    try:
        values["reach"] = Reach(values["reach"])
        values["numbers"] = json.loads(values["numbers"]) if values["numbers"] else {}
    except (ValueError, TypeError) as error:
        raise sqlite3.DatabaseError("a row is malformed") from error
    return Entry(**values)


def _drop_oldest(db: sqlite3.Connection, count: int) -> None:
    """Drop the oldest, but of each environment keep the last time it worked."""
    good = "SELECT max(id) FROM entries WHERE reach > 0 GROUP BY machine, env, framework, reach"
    oldest = f"SELECT id FROM entries WHERE id NOT IN ({good}) ORDER BY id LIMIT ?"
    db.execute(f"DELETE FROM entries WHERE id IN ({oldest})", (count,))
    db.execute("DELETE FROM facts WHERE digest NOT IN (SELECT facts FROM entries WHERE facts IS NOT NULL)")


def _in_use(db: sqlite3.Connection) -> int:
    pages, free, size = (
        db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)
