"""Files that are big, read-only, behind links or on another disk; data of the registry; the journal's bounds."""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from trueup.setup.changes import Change, Store, retention
from trueup.setup.changes.files import FileKind, file_change, move_change
from trueup.setup.changes.regdata import TYPES, bytes_of, state_of
from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Callable


def changed(store: Store, *changes: Change) -> None:
    with store.begin("test") as transaction:
        for change in changes:
            transaction.apply(change)


def undone(store: Store) -> list[str]:
    return [outcome.result for outcome in store.undo(store.records()[0])]


def test_a_big_file_comes_back_without_being_held_in_memory(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    big = tmp_path / "big.bin"
    with big.open("wb") as file:
        for number in range(150):
            file.write(bytes([number]) * 1_000_000)
    store, before = Store(tmp_path / "journal"), FileKind().read({"path": str(big)})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    changed(store, file_change(big, None, store.blobs))
    assert not big.exists()
    assert undone(store) == ["restored"]
    assert FileKind().read({"path": str(big)}) == before
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 50_000  # KiB


def test_a_backup_that_is_damaged_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    store = Store(tmp_path / "journal")
    changed(store, file_change(path, b"new", store.blobs))
    for blob in store.blobs.folder.iterdir():
        blob.write_bytes(b"rot")
    assert undone(store) == ["failed"]
    assert path.read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.txt", "journal"]
    assert not store.records()[0].undone


def test_a_move_to_another_disk_is_refused_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()

    def refuse(*_: object) -> None:
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

    monkeypatch.setattr(Path, "rename", refuse)
    store = Store(tmp_path / "journal")
    with pytest.raises(SetupError) as error:
        changed(store, move_change(tmp_path / "a", tmp_path / "far" / "a"))
    assert error.value.kind == "other-disk"
    assert undone(store) == ["already", "restored"]
    assert (tmp_path / "a").is_dir()
    assert not (tmp_path / "far").exists()


def test_a_folder_that_is_gone_is_made_again_for_what_was_in_it(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "a.txt"
    path.parent.mkdir()
    path.write_bytes(b"old")
    store = Store(tmp_path / "journal")
    changed(store, file_change(path, None, store.blobs))
    path.parent.rmdir()
    assert undone(store) == ["restored"]
    assert path.read_bytes() == b"old"


def test_a_folder_of_ours_with_something_of_others_stays(tmp_path: Path) -> None:
    store = Store(tmp_path / "journal")
    changed(store, file_change(tmp_path / "x" / "y" / "a.txt", b"new", store.blobs))
    (tmp_path / "x" / "mine.txt").write_bytes(b"mine")
    assert undone(store) == ["restored", "restored", "kept"]
    assert [p.name for p in (tmp_path / "x").rglob("*")] == ["mine.txt"]


def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a file")
    store = Store(tmp_path / "journal")
    with pytest.raises(SetupError) as error:
        changed(
            store,
            file_change(tmp_path / "x", b"new", store.blobs),
            Change("folder", {"path": str(tmp_path / "x")}, "there"),
        )
    assert error.value.kind == "unwritable"


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a right on Windows")
def test_links_that_turn_in_a_circle_are_told(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    store = Store(tmp_path / "journal")
    with pytest.raises(SetupError):
        changed(store, Change("file", {"path": str(tmp_path / "a")}, None))


@pytest.mark.parametrize("moment", ["forwards", "back"])
def test_a_kill_between_making_a_file_writable_and_replacing_it(tmp_path: Path, moment: str) -> None:
    """Windows' way to replace a read-only file, which a kill can stop half-way."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    path.chmod(0o444)
    store = Store(tmp_path / "journal")
    changed(store, file_change(path, b"new", store.blobs))
    if moment == "forwards":
        path.chmod(0o666)
        path.write_bytes(b"old")
    path.chmod(0o666)
    assert undone(store) == ["restored"]
    assert path.read_bytes() == b"old"
    assert path.stat().st_mode & 0o222 == 0


def test_a_name_that_differs_by_case_is_another_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Readme").write_bytes(b"x")
    real: Callable[[Any], bool] = os.path.lexists

    def ignoring_case(path: Any) -> bool:
        found = Path(path)
        return real(path) or found.name.lower() in {p.name.lower() for p in found.parent.iterdir()}

    monkeypatch.setattr(os.path, "lexists", ignoring_case)
    store = Store(tmp_path / "journal")
    changed(store, move_change(tmp_path / "Readme", tmp_path / "README"))
    assert "README" in [p.name for p in tmp_path.iterdir()]
    assert undone(store) == ["restored"]
    assert "Readme" in [p.name for p in tmp_path.iterdir()]


def test_two_changes_of_one_thing_look_as_they_will_be(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"1")
    store = Store(tmp_path / "journal")
    changed(store, file_change(path, b"2", store.blobs), file_change(path, b"3", store.blobs))
    assert [look.outlook for look in store.look(store.records()[0])] == ["restorable", "restorable"]
    assert undone(store) == ["restored", "restored"]
    assert path.read_bytes() == b"1"


@given(some.integers(0, 2**32 - 1) | some.sampled_from([0, *TYPES.values()]), some.binary(max_size=40))
def test_no_bytes_of_the_registry_are_lost(number: int, raw: bytes) -> None:
    assert bytes_of(state_of(number, raw)) == (number, raw)


@given(some.text(some.characters(exclude_characters="\0", exclude_categories=["Cs"])))
def test_texts_are_readable(text: str) -> None:
    for kind in ("REG_SZ", "REG_EXPAND_SZ"):
        state = {"type": kind, "data": text}
        assert state_of(*bytes_of(state)) == state


@pytest.mark.parametrize(
    "state",
    [
        {"type": "REG_MULTI_SZ", "data": ["a", "中文", ""]},
        {"type": "REG_MULTI_SZ", "data": []},
        {"type": "REG_DWORD", "data": 2**32 - 1},
        {"type": "REG_QWORD", "data": 2**64 - 1},
        {"type": "REG_BINARY", "data": "00ff"},
        {"type": 0, "raw": "0102"},
        {"type": "REG_SZ", "data": ""},
    ],
)
def test_what_commands_write_is_what_is_read(state: dict[str, Any]) -> None:
    assert state_of(*bytes_of(state)) == state


def test_the_journal_is_bounded_and_loses_nothing_that_is_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "MOST", 3)
    path, store = tmp_path / "a.txt", Store(tmp_path / "journal")
    for number in range(6):
        changed(store, file_change(path, b"%d" % number, store.blobs))
    assert len(store.records()) == 6, "not taken back, and young"
    for index, record in enumerate(store.records()):
        stamp = "20240101" if index == 5 else record.ident[:8]
        (store.folder / f"{record.ident}.jsonl").rename(store.folder / f"{stamp}{record.ident[8:]}.jsonl")
    for blob in store.blobs.folder.iterdir():
        os.utime(blob, (time.time() - 3 * retention.DAY_S,) * 2)
    for record in store.records()[:2]:
        store.undo(record)
    changed(store, file_change(tmp_path / "b.txt", b"b", store.blobs))
    assert len(store.records()) == 6, "only the one of 2024 went"
    for record in store.records():
        store.undo(record)
    changed(store, file_change(tmp_path / "c.txt", b"c", store.blobs))
    assert len(store.records()) == 3
    wanted = {s["sha256"] for r in store.records() for c in r.changes for s in (c.before, c.after) if s}
    old = {b.name for b in store.blobs.folder.iterdir() if b.stat().st_mtime < time.time() - retention.DAY_S}
    assert old <= wanted


def test_what_changed_nothing_leaves_no_line(tmp_path: Path) -> None:
    store = Store(tmp_path / "journal")
    for _ in range(3):
        changed(store)
    assert list(store.folder.glob("*.jsonl")) == []
