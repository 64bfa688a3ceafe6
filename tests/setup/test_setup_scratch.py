"""Folders for a moment go at once, or, after a kill, with a later run; nobody else's are touched."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import pytest

from trueup.setup import scratch

if TYPE_CHECKING:
    from pathlib import Path


def dead() -> int:
    """Return the number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        ended.wait()
    return ended.pid


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def left(place: Path, name: str, *, days: float = 3.0) -> Path:
    folder = place / name
    (folder / "answers").mkdir(parents=True)
    then = time.time() - days * scratch.DAY_S
    os.utime(folder, (then, then))
    return folder


def test_a_folder_for_a_moment(place: Path) -> None:
    with scratch.scratch("proof") as folder:
        assert folder.parent == place
        assert folder.name.startswith(f"trueup-proof-{os.getpid()}-")
        assert scratch.OURS.fullmatch(folder.name)
        (folder / "x").write_text("x")
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("what", ["work", "proof", "bench", "batch", "start"])
def test_what_a_killed_run_left_goes_with_a_later_one(place: Path, what: str) -> None:
    folder = left(place, f"trueup-{what}-{dead()}-abc_12")
    with scratch.scratch():
        assert not folder.exists()


def test_what_may_be_in_use_or_is_not_ours_stays(place: Path) -> None:
    gone = dead()
    kept = [
        left(place, f"trueup-proof-{os.getpid()}-abc"),
        left(place, f"trueup-proof-{gone}-abc", days=0.5),
        left(place, "trueup-notes"),
        left(place, f"trueup-thesis-{gone}-abc"),
        left(place, f"my-trueup-proof-{gone}-abc"),
    ]
    scratch.sweep(place)
    assert [path.exists() for path in kept] == [True] * len(kept)


@pytest.mark.skipif(sys.platform == "win32", reason="a link needs a right there")
def test_a_link_is_not_followed(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    target = tmp_path_factory.mktemp("elsewhere")
    (target / "mine").write_text("mine")
    link = place / f"trueup-proof-{dead()}-abc"
    link.symlink_to(target)
    then = time.time() - 3 * scratch.DAY_S
    os.utime(link, (then, then), follow_symlinks=False)
    scratch.sweep(place)
    assert (target / "mine").exists()


def test_the_bundle_s_starter_names_its_folder_so() -> None:
    from importlib import resources

    text = (resources.files("trueup.setup.bundle") / "scripts" / "start.py").read_text("utf-8")
    assert 'prefix=f"trueup-start-{os.getpid()}-"' in text
