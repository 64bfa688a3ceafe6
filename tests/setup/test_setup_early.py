"""What is refused before anything is shown or asked, and what a run that failed early leaves: nothing."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

import pytest
from made import FOO, machine_here, question_of

from trueup import setup
from trueup.cli.main import run
from trueup.setup import exclusive
from trueup.setup.places import Places
from trueup.setup.room import check_place
from trueup.setup.sweeping import sweep

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_run_that_failed_before_its_lock_leaves_nothing(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("500")
    with pytest.raises(setup.SetupError):
        setup.build(FOO, question_of(), tmp_path / ".venv", machine=machine_here())
    assert [path.name for path in tmp_path.iterdir() if path.name != "cache"] == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc is Linux's")
def test_place_for_no_files_is_told_as_such(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["up", "tensorflow", "--env", "/proc/env", "--yes"]) == 2
    err = capsys.readouterr().err
    assert "`/proc` cannot be written" in err
    assert "--env" in err


def test_place_that_is_not_there_yet_is_judged_by_its_parent(tmp_path: Path) -> None:
    check_place(tmp_path / "a" / "b" / ".venv")


def test_busy_folder_is_known_before_anything_is_asked(tmp_path: Path) -> None:
    places = Places(tmp_path / ".venv")
    exclusive.check_free(places.lock_file, places.env)
    other = {**exclusive.identity(os.getppid()), "since": "2026-11-30T00:00:00+00:00"}
    places.lock_file.write_text(json.dumps(other), "utf-8")
    with pytest.raises(setup.SetupError) as caught:
        exclusive.check_free(places.lock_file, places.env)
    assert caught.value.kind == "busy"
    assert caught.value.message.params["pid"] == os.getppid()
    dead = {"pid": os.getppid(), "created": 1.0}
    places.lock_file.write_text(json.dumps(dead), "utf-8")
    exclusive.check_free(places.lock_file, places.env)


def test_leftovers_of_a_run_that_ended_at_its_very_end_go(
    mood: Callable[[str], None], tmp_path: Path
) -> None:
    mood("good")
    env_dir = tmp_path / ".venv"
    setup.build(FOO, question_of(), env_dir, machine=machine_here())
    places = Places(env_dir)
    places.open()
    places.journal.write("begin", request="x")
    sweep(env_dir)
    assert places.building.is_dir()  # nothing says that its environment was moved
    places.journal.write("moving", attempt="env-0000")
    places.lock_file.write_text(json.dumps({"pid": os.getpid(), "created": 1.0}), "utf-8")
    sweep(env_dir)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".venv", "cache"]
    assert setup.inspect(env_dir).name == "complete"
