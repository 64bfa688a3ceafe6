"""The journal of changes: what was there before comes back, also after a kill between any two steps."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from trueup.setup.changes import Change, Store
from trueup.setup.changes.files import file_change, move_change
from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import State

KILLED = """
import os, sys
from pathlib import Path
from trueup.setup.changes import Change, Store
from trueup.setup.changes.files import file_change, move_change

count = last = 0

def dying(act):
    def wrapped(*args, **kwargs):
        global count
        for moment in ("before", "after"):
            count += 1
            if count == last:
                os._exit(9)
            if moment == "before":
                result = act(*args, **kwargs)
        return result
    return wrapped

os.fsync = dying(os.fsync)
Path.replace = dying(Path.replace)
Path.rename = dying(Path.rename)
Path.mkdir = dying(Path.mkdir)
Path.symlink_to = dying(Path.symlink_to)
def changes(base):
    store = Store(base / "journal")
    with store.begin("test") as transaction:
        transaction.apply(file_change(base / "old.txt", b"new words", store.blobs))
        transaction.apply(file_change(base / "made" / "new.txt", b"made", store.blobs))
        transaction.apply(move_change(base / "folder", base / "trash" / "folder"))
        transaction.apply(file_change(base / "gone.txt", None, store.blobs))
        link = {"path": str(base / "links" / "one")}
        transaction.apply(Change("link", link, {"link": "elsewhere"}))

for base in map(Path, sys.argv[1:]):
    last += 1
    child = os.fork()
    if not child:
        changes(base)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def shape(base: Path) -> dict[str, Any]:
    """Return every folder and file below a folder with content and mode, without the journal."""
    return {
        str(path.relative_to(base)): (path.read_bytes() if path.is_file() else b"", path.stat().st_mode)
        for path in sorted(base.rglob("*"))
        if "journal" not in path.parts
    }


def made(base: Path) -> Path:
    (base / "folder").mkdir(parents=True)
    (base / "folder" / "keep.bin").write_bytes(b"\0\xff")
    (base / "old.txt").write_bytes(b"old\r\nwords")
    (base / "old.txt").chmod(0o600)
    (base / "gone.txt").write_bytes(b"will go")
    return base


@pytest.mark.skipif(sys.platform == "win32", reason="forks; the registry's kills are tried on Windows")
def test_every_moment_of_a_kill_can_be_undone(tmp_path: Path) -> None:
    bases = [made(tmp_path / str(number)) for number in range(1, 120)]
    before = shape(bases[0])
    ran = subprocess.run(
        [sys.executable, "-c", KILLED, *map(str, bases)],
        check=True,
        timeout=600,
        capture_output=True,
        text=True,
    )
    codes = [int(line) for line in ran.stdout.split()]
    deaths = codes.index(0)
    assert deaths > 20
    assert set(codes[:deaths]) == {9}
    for base in bases[: deaths + 1]:
        store = Store(base / "journal")
        results = [outcome.result for record in store.records() for outcome in store.undo(record)]
        assert shape(base) == before, base.name
        assert set(results) <= {"restored", "already"}
    assert results == ["restored"] * 8


def test_what_the_user_changed_since_stays(tmp_path: Path) -> None:
    base = made(tmp_path / "base")
    store = Store(tmp_path / "journal")
    with store.begin("test") as transaction:
        transaction.apply(file_change(base / "old.txt", b"ours", store.blobs))
        transaction.apply(move_change(base / "folder", base / "trash"))
    (base / "old.txt").write_bytes(b"the user's")
    (base / "folder").mkdir()
    [record] = store.records()
    assert [outcome.result for outcome in store.undo(record)] == ["kept", "kept"]
    assert (base / "old.txt").read_bytes() == b"the user's"
    assert (base / "trash" / "keep.bin").read_bytes() == b"\0\xff"


def test_a_change_that_is_so_already_is_not_journaled(tmp_path: Path) -> None:
    path = tmp_path / "same.txt"
    path.write_bytes(b"same")
    store = Store(tmp_path / "journal")
    change = file_change(path, b"same", store.blobs)
    assert store.preview([change]) == ()
    with store.begin("test") as transaction:
        transaction.apply(change)
    assert store.records() == ()


class Stubborn:
    """A value that a policy sets back."""

    def read(self, target: Mapping[str, str]) -> State:
        del target
        return "policy"

    def write(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Take the value, and forget it."""

    def keep(self, target: Mapping[str, str], state: State, blobs: Blobs) -> None:
        """Need nothing."""


def test_a_change_that_does_not_hold_is_refused(tmp_path: Path) -> None:
    store = Store(tmp_path, {"stubborn": Stubborn()})
    with pytest.raises(SetupError) as error, store.begin("test") as transaction:
        transaction.apply(Change("stubborn", {"name": "x"}, "ours"))
    assert error.value.kind == "not-taken"
    [record] = store.records()
    assert not record.finished


def test_a_torn_line_hides_nothing_that_was_done(tmp_path: Path) -> None:
    base = made(tmp_path / "base")
    store = Store(tmp_path / "journal")
    with store.begin("test") as transaction:
        transaction.apply(file_change(base / "old.txt", b"ours", store.blobs))
        with transaction.path.open("ab") as file:
            file.write(b'\n{"event": "int')
    [record] = store.records()
    assert record.finished
    store.undo(record)
    assert (base / "old.txt").read_bytes() == b"old\r\nwords"
    assert store.records()[0].undone


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a right on Windows")
def test_a_link_is_moved_and_a_file_behind_a_link_is_written(tmp_path: Path) -> None:
    base = made(tmp_path / "base")
    (base / "link.txt").symlink_to(base / "old.txt")
    (base / "door").symlink_to(base / "folder")
    store = Store(tmp_path / "journal")
    with store.begin("test") as transaction:
        transaction.apply(file_change(base / "link.txt", b"through", store.blobs))
        transaction.apply(move_change(base / "door", base / "trash" / "door"))
    assert (base / "link.txt").is_symlink()
    assert (base / "old.txt").read_bytes() == b"through"
    assert (base / "trash" / "door").is_symlink()
    assert (base / "folder" / "keep.bin").exists()
