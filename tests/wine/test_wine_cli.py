"""The program itself on Windows Python: code pages, paths, the registry."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from winehost import Wine, windows

pytestmark = pytest.mark.wine
SOURCE = windows(Path(__file__).parents[2] / "src")


def trueup(wine: Wine, *arguments: str | Path, **variables: str) -> Any:
    return wine.py("-m", "trueup", *arguments, PYTHONPATH=SOURCE, **variables)  # type: ignore[arg-type]


def test_help_in_both_languages_on_a_western_code_page(wine: Wine) -> None:
    for lang in ("en", "zh"):
        done = trueup(wine, "--lang", lang, "--help")
        assert done.returncode == 0, done.stderr
        assert "solve" in done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "cp936", "cp437", "utf-8"])
def test_no_code_page_stops_an_answer(wine: Wine, encoding: str) -> None:
    code = (
        "from trueup.cli.session import Session; s = Session('zh_CN'); s.out('显卡 é ✓'); s.talk('显卡 é ✓')"
    )
    done = wine.py("-c", code, PYTHONPATH=SOURCE, PYTHONIOENCODING=encoding)
    assert (done.returncode, done.stderr.count("Error")) == (0, 0)
    if encoding == "utf-8":
        assert "显卡 é ✓" in done.stdout


@pytest.mark.parametrize("encoding", ["cp1252", "cp936"])
def test_a_mistake_in_chinese_is_told_not_crashed(wine: Wine, encoding: str) -> None:
    done = trueup(wine, "--lang", "zh", "nonsense", PYTHONIOENCODING=encoding)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_solves_for_a_described_card(wine: Wine) -> None:
    described = ("--os", "windows", "--gpu", "RTX 3060", "--driver", "531.14")
    done = trueup(wine, "solve", "tensorflow", *described, "--python", "3.9", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"].startswith("trueup.solve/")
    assert answer["best"]["route"] == "windows-native"


@pytest.mark.parametrize("encoding", ["cp1252", "cp936"])
def test_reads_this_machine(wine: Wine, encoding: str) -> None:
    """Wine has no card and says so; what counts is that each reader comes back from Windows' own calls."""
    done = trueup(wine, "check", "--json", PYTHONIOENCODING=encoding)
    assert done.returncode in (0, 1), done.stderr
    answer = json.loads(done.stdout)
    assert answer["schema"].startswith("trueup.check/")
    machine = answer["machine"]
    assert (machine["os"], machine["driver"], machine["gpus"]) == ("windows", None, [])
    assert [p["kind"] for p in machine["pythons"] if p["path"] == wine.python] == [
        "python.org"
    ]  # the registry
    assert trueup(wine, "--lang", "zh", "check", PYTHONIOENCODING=encoding).returncode == done.returncode
