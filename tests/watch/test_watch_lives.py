"""Each life of a card that the stand-in library plays, on each screen, against the kept ones.

`TRUEUP_KEEP_SCREENS=1 pytest tests/watch` writes them anew; look at each before it is kept.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from lives import LIVES, OLD
from rich.cells import cell_len

HERE = Path(__file__).parent
SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "watch-1.json").read_text("utf-8"))
Played = dict[str, dict[str, Any]]


@cache
def played(folder: Path, lives: tuple[str, ...]) -> dict[str, Played]:
    env = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
    env.pop("FAKE_NVML_LIFE", None)
    command = [sys.executable, str(HERE / "play.py"), *lives]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True, encoding="utf-8")
    answer: dict[str, Played] = {}
    for line in done.stdout.splitlines():
        answer.update(json.loads(line))
    return answer


def life(libraries: Path, name: str) -> Played:
    old = name in OLD
    lives = OLD if old else tuple(one for one in LIVES if one not in OLD)
    return played(libraries / ("old" if old else "new"), lives)[name]


def screens(shown: Played) -> str:
    parts = [
        f"=== step {step}, {view}\n{text}"
        for step, views in shown.items()
        for view, text in views.items()
        if view != "data"
    ]
    return "\n".join(parts) + "\n"


@pytest.mark.parametrize("name", LIVES)
def test_screens_are_the_kept_ones(libraries: Path, name: str) -> None:
    found = screens(life(libraries, name))
    kept = HERE / "screens" / f"{name}.txt"
    if os.environ.get("TRUEUP_KEEP_SCREENS"):
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(found, "utf-8")
    assert found == kept.read_text("utf-8")


@pytest.mark.parametrize("name", LIVES)
def test_no_line_is_wider_than_its_terminal(libraries: Path, name: str) -> None:
    for views in life(libraries, name).values():
        for view, text in views.items():
            if view == "data":
                continue
            width = int(view.rpartition("-")[2])
            lines = text.split("\n")
            assert max(map(cell_len, lines)) <= width
            assert len(lines) <= {80: 24, 200: 50}[width]
            letters = text.translate(dict.fromkeys(map(ord, "笔记本服务显卡")))
            assert view != "ascii-80" or letters.isascii()


@pytest.mark.parametrize("name", LIVES)
def test_data_keeps_to_the_schema(libraries: Path, name: str) -> None:
    for views in life(libraries, name).values():
        jsonschema.validate(views["data"], SCHEMA)
        json.dumps(views["data"], allow_nan=False)


def gpus(libraries: Path, name: str, step: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = life(libraries, name)[str(step)]["data"]["gpus"]
    return found


@pytest.mark.parametrize(
    ("name", "during", "after"),
    [
        ("lost-and-back", 5, 14),
        ("lost-in-the-middle-of-a-look", 5, 12),
        ("reset", 4, 16),
        ("library-forgets-its-start", 3, 12),
        ("driver-updated-meanwhile", 5, 20),
    ],
)
def test_what_goes_wrong_is_said_and_passes(libraries: Path, name: str, during: int, after: int) -> None:
    (broken,) = gpus(libraries, name, during)
    assert broken["trouble"]
    assert broken["name"] == "NVIDIA GeForce RTX 3060"
    assert "unknown" in broken["sm_percent"]
    (well,) = gpus(libraries, name, after)
    assert well["trouble"] is None
    assert isinstance(well["sm_percent"], float)


def test_a_new_driver_is_named_after_the_update(libraries: Path) -> None:
    assert life(libraries, "driver-updated-meanwhile")["20"]["data"]["driver"] == "580.88"


def test_one_card_stays_while_the_other_is_pulled(libraries: Path) -> None:
    stays, pulled = gpus(libraries, "unplugged", 12)
    assert stays["trouble"] is None
    assert pulled["name"] == "NVIDIA GeForce RTX 4090"
    assert "gone" in pulled["trouble"]


def test_a_fan_that_fails_takes_nothing_else_with_it(libraries: Path) -> None:
    (card,) = gpus(libraries, "fan-error", 4)
    assert card["trouble"] is None
    assert card["temperature_c"] == 67
    assert "unknown" in card["fan_percent"]


def test_nonsense_is_unknown_and_never_shown_as_measured(libraries: Path) -> None:
    (card,) = gpus(libraries, "above-hundred", 10)
    for name in ("sm_percent", "memory_busy_percent", "fan_percent"):
        assert "cannot be" in card[name]["unknown"], name
    (card,) = gpus(libraries, "below-zero", 10)
    for name in ("temperature_c", "power_w", "pcie_gen"):
        assert "cannot be" in card[name]["unknown"], name


def test_what_wddm_hides_is_said(libraries: Path) -> None:
    (card,) = gpus(libraries, "hidden-by-wddm", 10)
    assert {one["memory_mib"]["unknown"] for one in card["processes"]} == {
        "Windows (WDDM) keeps it from NVML"
    }
    assert "Task Manager" in life(libraries, "hidden-by-wddm")["10"]["en-80"]
    assert "任务管理器" in life(libraries, "hidden-by-wddm")["10"]["zh_CN-80"]


def test_slices_of_a_partitioned_card_are_listed(libraries: Path) -> None:
    (card,) = gpus(libraries, "mig", 10)
    assert [one["memory_used_mib"] for one in card["mig"]] == [7168.0, 7168.0]


def test_a_hundred_processes_keep_the_screen(libraries: Path) -> None:
    (card,) = gpus(libraries, "hundred-processes", 10)
    assert len(card["processes"]) == 101
    assert "and 97 more" in life(libraries, "hundred-processes")["10"]["en-80"]
