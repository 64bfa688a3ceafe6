"""What a killed run leaves beside its target is swept by the next one that comes by."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from trueup.setup import homes
from trueup.setup.changes import Store
from trueup.setup.changes.files import FRESH, file_change
from trueup.setup.changes.retention import DAY_S, STAGING

if TYPE_CHECKING:
    from pathlib import Path


def aged(path: Path, days: float = 3) -> Path:
    then = time.time() - days * DAY_S
    os.utime(path, (then, then))
    return path


def test_the_next_change_sweeps_what_a_killed_one_left(tmp_path: Path) -> None:
    store, path = Store(tmp_path / "journal"), tmp_path / "a.txt"
    with suppress(KeyboardInterrupt), store.begin("trueup killed") as transaction:
        transaction.apply(file_change(path, b"new", store.blobs))
        raise KeyboardInterrupt
    assert not store.records()[0].finished
    rest = path.with_name(path.name + FRESH)
    rest.write_bytes(b"ne")
    mine = tmp_path / f"mine{FRESH}"
    mine.write_bytes(b"mine")
    with store.begin("trueup next") as transaction:
        transaction.apply(file_change(tmp_path / "b.txt", b"x", store.blobs))
    assert not rest.exists()
    assert path.read_bytes() == b"new"
    assert mine.exists(), "a name alone makes nothing ours"


def test_contents_that_were_being_put_together(tmp_path: Path) -> None:
    store = Store(tmp_path / "journal")
    folders = [store.folder / f"{STAGING}{name}" for name in ("old", "now")]
    for folder in folders:
        folder.mkdir(parents=True)
        (folder / "file").write_bytes(b"x")
    aged(folders[0])
    with store.begin("trueup next"):
        pass
    assert [folder.exists() for folder in folders] == [False, True]


def test_half_removed_and_half_unpacked_pythons(tmp_path: Path) -> None:
    pythons = tmp_path / homes.FOLDER
    names = ("3.12-a", "3.11-b.removing", "3.10-c.new", "3.9-d.new")
    for name in names:
        (pythons / name / "bin").mkdir(parents=True)
    aged(pythons / "3.10-c.new")
    homes.remove_unused(tmp_path, (), ())
    assert sorted(path.name for path in pythons.iterdir()) == ["3.12-a", "3.9-d.new"]
