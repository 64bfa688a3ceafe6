"""Reading wheels on Windows Python: the same bytes as here, from a folder and from an index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from winehost import Wine, windows

sys.path.insert(0, str(Path(__file__).parents[1] / "harvest"))
from make_wheel import wheel
from served import Manner, index

from trueup.facts.harvest.run import document, from_folder

pytestmark = pytest.mark.wine
SOURCE = windows(Path(__file__).parents[2] / "src")


def harvest(wine: Wine, *arguments: str | Path) -> Any:
    return wine.py("-m", "trueup", "facts", "harvest", *arguments, PYTHONPATH=SOURCE)


def test_a_folder_gives_the_same_bytes(wine: Wine, tmp_path: Path) -> None:
    for version in ("2.9.3", "2.10.1"):
        name, content = wheel(version=version)
        (tmp_path / name).write_bytes(content)
    done = harvest(wine, tmp_path, "-o", tmp_path / "out.json")
    assert done.returncode == 0, done.stderr
    here = document(from_folder(tmp_path, deep=True, tell=lambda _: None).rows)
    assert (tmp_path / "out.json").read_bytes() == here.encode()


def test_an_index_is_read_by_ranges(wine: Wine, tmp_path: Path) -> None:
    name, content = wheel()
    with index({name: content}, manner := Manner()) as address:
        done = harvest(wine, "tensorflow", "--index", address, "-o", tmp_path / "out.json")
    assert done.returncode == 0, done.stderr
    assert '"cuda": "11.2"' in (tmp_path / "out.json").read_text("utf-8")
    assert any(span for _, span in manner.asked)
