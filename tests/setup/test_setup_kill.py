"""Kills builds at random moments. Whatever is in the folder afterwards, it never looks whole when it isn't."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest

from trueup import setup
from trueup.setup import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

CHILD = Path(__file__).with_name("build_child.py")
KILLS = 20


def start(env_dir: Path) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, CHILD, env_dir], stdout=subprocess.PIPE, text=True)


def check_nothing_half_built_looks_whole(env_dir: Path) -> None:
    state = setup.inspect(env_dir)
    assert state.name in {"missing", "building", "complete"}
    if state.name == "complete":
        check_whole(env_dir)


def check_whole(env_dir: Path) -> None:
    state = setup.inspect(env_dir)
    assert state.name == "complete"
    assert state.environment is not None
    assert fingerprint.take(env_dir).json() == state.environment.record.fingerprint
    shown = subprocess.run(
        [state.environment.python, "-c", "import foo, pip"], check=False, capture_output=True
    )
    assert shown.returncode == 0, shown.stderr


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_killed_builds_always_end_in_a_whole_environment(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("slow")
    began = time.monotonic()
    assert start(tmp_path / "first").wait() == 0
    whole = time.monotonic() - began
    moments = random.Random(20261130)  # noqa: S311  # repeatable, not secret
    states = []
    for number in range(KILLS):
        env_dir = tmp_path / f"env {number}" / ".venv"
        env_dir.parent.mkdir()
        mood("slow" if number % 2 else "good")
        child = start(env_dir)
        time.sleep(moments.uniform(0.1, whole))
        child.kill()
        child.wait()
        states.append(setup.inspect(env_dir).name)
        check_nothing_half_built_looks_whole(env_dir)
        assert start(env_dir).wait() == 0
        check_whole(env_dir)
        assert [path.name for path in env_dir.parent.iterdir()] == [".venv"]
    assert "building" in states


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_uv_that_outlives_its_parent_harms_nothing(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("slow")
    env_dir = tmp_path / ".venv"
    child = start(env_dir)
    assert child.stdout is not None
    while "Started(step='install')" not in child.stdout.readline():
        pass
    time.sleep(0.2)
    orphans = psutil.Process(child.pid).children()
    child.kill()
    child.wait()
    assert start(env_dir).wait() == 0
    check_whole(env_dir)
    assert not [
        orphan for orphan in orphans if orphan.is_running() and orphan.status() != psutil.STATUS_ZOMBIE
    ]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_interrupt_ends_uv_and_gives_the_folder_back(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("slow")
    env_dir = tmp_path / ".venv"
    child = start(env_dir)
    assert child.stdout is not None
    while "Started(step='install')" not in child.stdout.readline():
        pass
    child.send_signal(2)
    assert child.wait(20) not in {0, 2}
    assert setup.inspect(env_dir).name == "building"
    assert not env_dir.with_name(".venv.trueup-lock").exists()
