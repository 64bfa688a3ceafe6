"""Opens the file of the history; what is damaged is moved aside, what cannot be used is told as `Trouble`."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Final, Protocol
from urllib.parse import quote

from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

VERSION: Final = 1
APPLICATION: Final = 0x74727570  # "trup"
_SIDES = ("", "-wal", "-shm")
_DAMAGED = ("malformed", "not a database", "no such table", "no such column", "corrupt", "encrypted")
_TABLES = (
    "CREATE TABLE facts (digest BLOB PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY AUTOINCREMENT, first INTEGER NOT NULL, last INTEGER NOT NULL,
        times INTEGER NOT NULL, kind TEXT NOT NULL, verdict TEXT NOT NULL, reach INTEGER NOT NULL, cause TEXT,
        framework TEXT NOT NULL, machine TEXT NOT NULL, env TEXT NOT NULL, place TEXT NOT NULL, numbers TEXT,
        facts BLOB)""",
    "CREATE INDEX of_reach ON entries (machine, env, framework, reach, id)",
    "CREATE INDEX of_time ON entries (machine, env, framework, first, id)",
    "CREATE INDEX of_place ON entries (machine, env, id)",
)


class Trouble(Exception):  # noqa: N818  # a state of the history, told beside the answer
    """The history cannot be used now: `locked`, `unwritable`, `full`, `newer`, `stuck`, `broken`."""

    def __init__(self, kind: str, why: Message) -> None:
        super().__init__(kind)
        self.kind = kind
        self.why = why


class _Owner(Protocol):
    moved: Path | None


@contextmanager
def open_database(
    owner: _Owner, path: Path, wait: float, *, read: bool = False
) -> Iterator[sqlite3.Connection]:
    """Open for one transaction.

    A damaged file shows itself at any statement: it is moved aside then, `owner.moved` names it, and `Trouble`
    of the kind `damaged` asks the caller's next call to begin anew.
    """
    identity = _identity(path)
    try:
        with closing(_connect(path, wait, read=read)) as db:
            _prepare(db, path)
            yield db
    except sqlite3.DatabaseError as error:
        raise _told(owner, path, identity, error) from error
    except OSError as error:
        raise Trouble("unwritable", _why("unwritable", path, error.strerror or str(error))) from error


def _connect(path: Path, wait: float, *, read: bool) -> sqlite3.Connection:
    if not read:
        path.parent.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(path, timeout=wait, isolation_level=None)
    db = sqlite3.connect(f"{_address(path)}?mode=rw", uri=True, timeout=wait, isolation_level=None)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.DatabaseError as error:
        db.close()  # Windows moves no file aside that is open
        if "readonly" not in str(error) and "unable to open" not in str(error):
            raise
        # a folder that is not ours to write to cannot hold the write-ahead log's index
        address = f"{_address(path)}?mode=ro&immutable=1"
        return sqlite3.connect(address, uri=True, timeout=wait, isolation_level=None)
    return db


def _address(path: Path) -> str:
    """Return the path as SQLite reads addresses: a share begins with four strokes, which pathlib does not write."""
    text = quote(path.absolute().as_posix(), safe="/:")
    return f"file://{text}" if text.startswith("/") else f"file:///{text}"


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version == VERSION:
        return
    if version > VERSION and db.execute("PRAGMA application_id").fetchone()[0] == APPLICATION:
        raise Trouble("newer", Message("history.newer", {"path": str(path), "version": version}))
    if version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise sqlite3.DatabaseError("file is not a database of the history: malformed")
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:  # no other process was faster
        for statement in _TABLES:
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.execute("COMMIT")


def _told(
    owner: _Owner, path: Path, identity: tuple[int, int] | None, error: sqlite3.DatabaseError
) -> Trouble:
    text = str(error)
    if any(word in text for word in _DAMAGED):
        return _aside(owner, path, identity, text)
    for kind, words in (
        ("locked", "locked"),
        ("full", "full"),
        ("unwritable", "readonly"),
        ("unwritable", "unable"),
    ):
        if words in text:
            return Trouble(kind, _why(kind, path, text))
    return Trouble("broken", _why("broken", path, text))


def _why(kind: str, path: Path, text: str) -> Message:
    return Message(f"history.{kind}", {"path": str(path), "text": text})


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _aside(owner: _Owner, path: Path, identity: tuple[int, int] | None, text: str) -> Trouble:
    """Move the damaged file away, unless another process was faster and this is the new one."""
    if _identity(path) == identity:
        target = _free_name(path)
        try:
            for side in _SIDES:
                source = path.with_name(path.name + side)
                if source.exists():
                    source.replace(target.with_name(target.name + side))
        except OSError as error:
            return Trouble("stuck", _why("stuck", path, error.strerror or str(error)))
        owner.moved = target
    return Trouble("damaged", Message("history.damaged", {"path": str(owner.moved or path), "text": text}))


def _free_name(path: Path) -> Path:
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    names = (f"history.damaged-{stamp}{f'-{n}' if n else ''}.sqlite3" for n in range(1000))
    return next(path.with_name(name) for name in names if not path.with_name(name).exists())
