"""`env check` and `env repair` take the environment as an argument, and by `--env` as the other commands do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from trueup.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("act", ["check", "repair"])
def test_both_ways_name_it(tmp_path: Path, act: str, capsys: pytest.CaptureFixture[str]) -> None:
    there = str(tmp_path / "none of ours")
    told = []
    for words in ([there], ["--env", there], [f"--env={there}"]):
        assert run(["env", act, *words]) == 2
        told.append(capsys.readouterr().err)
    assert there in told[0]
    assert told[0] == told[1] == told[2]


@pytest.mark.parametrize("act", ["check", "repair"])
def test_none_is_asked_for(act: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["env", act]) == 2
    assert "ENV" in capsys.readouterr().err
