"""`trueup tune` on Windows Python and the real registry: every setting comes back as `reg export` writes it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, windows

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.wine
PROBE = Path(__file__).with_name("tune_probe.py")
SOURCE = windows(PROBE.parents[2] / "src")
PLANS = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Power"


@pytest.fixture(autouse=True)
def without_plans(wine: Wine) -> Iterator[None]:
    """Take out again what the probe lays out of power plans."""
    yield
    wine.run("reg", "delete", PLANS, "/f")


def probe(wine: Wine, act: str, folder: Path) -> Any:
    paths = ";".join((SOURCE, windows(PROBE.parent)))
    done = wine.py(PROBE, act, folder, timeout=1200, PYTHONPATH=paths, PYTHONUTF8="1")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_every_setting_is_changed_and_comes_back(wine: Wine, tmp_path: Path) -> None:
    answer = probe(wine, "walk", tmp_path / "日志")
    assert len(answer) == 11
    good = {"done": "done", "changed": True, "verdict": "good", "results": ["restored"], "back": True}
    assert {name: one for name, one in answer.items() if one != good} == {}


def test_a_kill_at_every_moment_is_taken_back(wine: Wine, tmp_path: Path) -> None:
    answer = probe(wine, "sweep", tmp_path)
    assert answer["wrong"] == []
    assert answer["moments"] > 60


def test_the_administrators_step_is_a_process_of_its_own(wine: Wine, tmp_path: Path) -> None:
    answer = probe(wine, "elevated", tmp_path)
    assert (answer["result"], answer["left"], answer["changed"], answer["back"]) == ("done", 0, True, True)
    assert set(answer["results"]) <= {"restored", "already"}
    assert answer["plans"] == []


def command(wine: Wine, folder: Path, *words: str) -> tuple[int, str]:
    done = wine.py(
        "-m", "trueup", *words, timeout=300, PYTHONPATH=SOURCE, PYTHONUTF8="1", LOCALAPPDATA=windows(folder)
    )
    return done.returncode, done.stdout + done.stderr


def value(wine: Wine, key: str, name: str) -> str:
    return wine.run("reg", "query", key, "/v", name).stdout


def test_the_commands_of_a_user(wine: Wine, tmp_path: Path) -> None:
    key = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\GraphicsDrivers"
    assert "0x3c" not in value(wine, key, "TdrDelay")
    status, shown = command(wine, tmp_path, "tune", "tdr-delay")
    assert status == 0
    assert "60" in shown
    assert "0x3c" not in value(wine, key, "TdrDelay")
    status, done = command(wine, tmp_path, "tune", "tdr-delay", "--apply", "--yes")
    assert status == 0, done
    assert "TdrDelay: absent -> REG_DWORD 60" in done
    assert "0x3c" in value(wine, key, "TdrDelay")
    assert command(wine, tmp_path, "tune", "tdr-delay", "--apply", "--yes")[0] == 0
    status, back = command(wine, tmp_path, "undo", "--yes")
    assert status == 0, back
    assert "0x3c" not in value(wine, key, "TdrDelay")
