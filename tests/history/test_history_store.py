"""The file of the history: bounded, thinned, shared, and never a crash when it is damaged."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from days import entry

from trueup.history import Limits, Reach, Store, Trouble
from trueup.history.database import VERSION
from trueup.history.store import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

WHERE = ("m", "e", "tensorflow")


def test_what_is_kept_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path)
    numbers = {"accuracy": 0.98, "epoch_seconds": [3.0, 1.5]}
    ident = store.add(entry(kind="proof", verdict="proven", numbers=numbers), 1000)
    found = store.get(ident)
    assert found is not None
    assert (found.facts, found.numbers, found.first, found.reach) == (
        {"system/os": "linux"},
        numbers,
        1000,
        Reach.CARD,
    )
    assert store.newest(5)[0].facts is None, "a list does not read facts"
    assert store.get(99) is None


def test_nothing_is_made_by_asking(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep")
    assert (store.newest(3), store.get(1), store.last_good(WHERE)) == ([], None, None)
    assert not (tmp_path / "deep").exists()


def test_equal_checks_in_a_row_are_one(tmp_path: Path) -> None:
    store = Store(tmp_path)
    idents = [store.add(entry(), moment) for moment in (100, 200, 300)]
    other = store.add(entry(verdict="not-aligned", reach=Reach.NO), 400)
    again = store.add(entry(), 500)
    assert (len(set(idents)), other != idents[0], again not in (other, idents[0])) == (1, True, True)
    first = store.get(idents[0])
    assert first is not None
    assert (first.times, first.first, first.last) == (3, 100, 300)


def test_other_facts_are_another_entry_and_proofs_always_are(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(entry(), 1)
    store.add(entry(facts={"system/os": "windows"}), 2)
    for moment in (3, 4):
        store.add(entry(kind="proof", numbers={"accuracy": 0.9}), moment)
    assert len(store.newest(9)) == 4


def test_a_clock_that_goes_backwards(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(entry(), 5000)
    store.add(entry(), 1000)
    store.add(entry(verdict="not-aligned", reach=Reach.NO), 900)
    newest, good = store.newest(1)[0], store.last_good(WHERE)
    assert good is not None
    assert (newest.verdict, good.last, good.times) == ("not-aligned", 5000, 2)


def test_how_it_was_at_a_moment(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for moment, verdict in ((100, "aligned"), (200, "not-aligned"), (300, "aligned")):
        store.add(entry(verdict=verdict), moment)
    found = [store.at(moment, WHERE) for moment in (50, 100, 250, 999)]
    assert [one.verdict if one else None for one in found] == [None, "aligned", "not-aligned", "aligned"]
    oldest = store.oldest(WHERE)
    assert oldest is not None
    assert oldest.first == 100


def test_only_the_same_machine_environment_and_framework(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(entry(), 1)
    for where in (("x", "e", "tensorflow"), ("m", "x", "tensorflow"), ("m", "e", "torch")):
        assert store.last_good(where) is None


def test_rows_are_bounded_and_the_last_good_stays(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits(rows=50))
    good = store.add(entry(), 1)
    for number in range(200):
        store.add(entry(verdict="not-aligned", reach=Reach.NO, facts={"n": str(number)}), 2 + number)
    kept = store.newest(1000)
    found = store.last_good(WHERE)
    assert len(kept) <= 50
    assert found is not None
    assert found.ident == good
    assert found.facts == {"system/os": "linux"}


def test_size_is_bounded(tmp_path: Path) -> None:
    store = Store(tmp_path, Limits(size=400_000))
    for number in range(60):
        noise = {f"packages/{n}": os.urandom(24).hex() for n in range(300)}
        store.add(entry(facts=noise), number)
    sizes = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert sizes < 1_500_000
    assert store.newest(1)[0].last == 59


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "garbage": lambda _: b"\x00garbage" * 500,
    "text": lambda _: b"this is no database\n" * 100,
    "middle": lambda data: data[:4096] + b"\xff" * (len(data) - 4096),
    "cut": lambda data: data[: len(data) // 2],
    "head": lambda data: b"SQLite format 3\x00" + b"\xee" * (len(data) - 16),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_moved_aside_and_named(damage: str, tmp_path: Path) -> None:
    Store(tmp_path).add(entry(), 1)
    path = tmp_path / NAME
    for side in ("-wal", "-shm"):
        path.with_name(NAME + side).unlink(missing_ok=True)
    broken = DAMAGES[damage](path.read_bytes())
    path.write_bytes(broken)
    store = Store(tmp_path)
    ident = store.add(entry(), 2)
    assert store.moved is not None
    assert store.moved.name.startswith("history.damaged-")
    assert store.moved.read_bytes() == broken
    assert ident == 1, "a new one was begun"
    assert Store(tmp_path).newest(9)[0].last == 2


def test_reading_moves_a_damaged_file_aside_too(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no database at all" * 100)
    store = Store(tmp_path)
    assert store.newest(5) == []
    assert store.moved is not None


def test_an_empty_file_is_an_empty_history(tmp_path: Path) -> None:
    (tmp_path / NAME).touch()
    store = Store(tmp_path)
    assert store.newest(5) == []
    assert store.add(entry(), 1) == 1
    assert store.moved is None


def test_somebody_elses_database_is_moved_aside(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / NAME) as db:
        db.execute("CREATE TABLE songs (name)")
    store = Store(tmp_path)
    assert store.add(entry(), 1) == 1
    assert store.moved is not None


def test_a_row_that_was_tampered_with(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add(entry(), 1)
    with sqlite3.connect(tmp_path / NAME) as db:
        db.execute("UPDATE facts SET body = x'00'")
    found = store.get(1)
    assert found is not None
    assert found.facts is None
    with sqlite3.connect(tmp_path / NAME) as db:
        db.execute("UPDATE entries SET reach = 77")
    assert store.get(1) is None
    assert store.moved is not None


def test_a_newer_format_is_left_alone(tmp_path: Path) -> None:
    Store(tmp_path).add(entry(), 1)
    with sqlite3.connect(tmp_path / NAME) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    asks: tuple[Callable[[Store], object], ...] = (lambda s: s.add(entry(), 2), lambda s: s.newest(1))
    for ask in asks:
        with pytest.raises(Trouble) as caught:
            ask(Store(tmp_path))
        assert caught.value.kind == "newer"
    assert [path.name for path in tmp_path.glob("history.damaged*")] == []


def test_locked_by_another_process(tmp_path: Path) -> None:
    Store(tmp_path).add(entry(), 1)
    holder = sqlite3.connect(tmp_path / NAME, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        with pytest.raises(Trouble) as caught:
            Store(tmp_path, wait=0.1).add(entry(), 2)
        assert caught.value.kind == "locked"
        assert len(Store(tmp_path, wait=0.1).newest(9)) == 1, "readers go on beside a writer"
    finally:
        holder.close()


@pytest.mark.skipif(sys.platform == "win32", reason="folders are closed in another way there")
def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    if getattr(os, "geteuid", int)() == 0:
        (tmp_path / "file").touch()
        with pytest.raises(Trouble) as caught:
            Store(tmp_path / "file" / "deep").add(entry(), 1)
        assert caught.value.kind == "unwritable"
        return
    Store(tmp_path).add(entry(), 1)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(Trouble) as caught:
            Store(tmp_path).add(entry(verdict="unknown"), 2)
        assert caught.value.kind == "unwritable"
        assert len(Store(tmp_path).newest(9)) == 1
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_with_odd_letters(tmp_path: Path) -> None:
    folder = tmp_path / "50% of #1? 用户"
    if sys.platform == "win32":
        folder = tmp_path / "50% of #1 用户"
    Store(folder).add(entry(), 1)
    assert len(Store(folder).newest(9)) == 1


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Store(tmp_path).add(entry(), 1)
    connect = sqlite3.connect

    def full(*args: object, **kwargs: object) -> sqlite3.Connection:
        db = connect(*args, **kwargs)  # type: ignore[call-overload]
        db.execute("PRAGMA max_page_count = 1")
        return db  # type: ignore[no-any-return]

    monkeypatch.setattr(sqlite3, "connect", full)
    noise = {f"packages/{n}": os.urandom(24).hex() for n in range(3000)}
    with pytest.raises(Trouble) as caught:
        Store(tmp_path).add(entry(facts=noise), 2)
    assert caught.value.kind == "full"
    monkeypatch.undo()
    assert len(Store(tmp_path).newest(9)) == 1


WRITER = """
import sys
from pathlib import Path
sys.path[:0] = sys.argv[3].split("|")
from days import entry
from trueup.history import Store
store = Store(Path(sys.argv[1]), wait=60)
for number in range(40):
    store.add(entry(facts={"who": sys.argv[2], "n": str(number)}), number)
"""


def test_two_processes_at_once(tmp_path: Path) -> None:
    folders = "|".join((str(Path(__file__).parent), str(Path(__file__).parent.parent / "machine")))
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), who, folders]) for who in ("a", "b")
    ]
    assert [child.wait(300) for child in children] == [0, 0]
    kept = Store(tmp_path).newest(1000)
    assert len(kept) == 80
    assert len({one.ident for one in kept}) == 80


def test_two_processes_find_it_damaged_at_once(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"no database at all" * 100)
    folders = "|".join((str(Path(__file__).parent), str(Path(__file__).parent.parent / "machine")))
    children = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), who, folders]) for who in ("a", "b")
    ]
    for child in children:
        child.wait(300)
    store = Store(tmp_path)
    assert store.newest(1000)
    assert store.moved is None, "the new one is whole"
    assert len(list(tmp_path.glob("history.damaged-*"))) >= 1
