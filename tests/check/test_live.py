"""`check --live`: frameworks that are imported, that fail, crash and hang; all of them made of a few lines."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from examined import examined

from trueup.cli.main import run
from trueup.diagnose.findings import check
from trueup.facts import load
from trueup.machine.host import RunResult, this_host
from trueup.machine.inventory import live as live_module
from trueup.machine.inventory.live import Live, ask_live, parse_live

if TYPE_CHECKING:
    from pathlib import Path

LISTS = "class config:\n    list_physical_devices = lambda kind: []\n__version__ = '2.15.1'\n"


@pytest.fixture
def env(tmp_path: Path) -> Path:
    folder = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    site = next(folder.glob("lib/python3.*/site-packages"), folder / "Lib" / "site-packages")
    (site / "tensorflow" / "python" / "platform").mkdir(parents=True)
    (site / "tensorflow" / "python" / "platform" / "build_info.py").write_text(
        "x = {'is_cuda_build': False}\n"
    )
    (site / "tensorflow-2.15.1.dist-info").mkdir()
    (site / "tensorflow" / "__init__.py").write_text(LISTS)
    return folder


def write(env: Path, text: str) -> None:
    next(env.glob("**/tensorflow/__init__.py")).write_text(text)


def ask(env: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, list[str]]:
    run(["check", "tensorflow", "--live", "--json", "--lang", "en", "--env", str(env)])
    found = json.loads(capsys.readouterr().out)["findings"]
    return {one["id"]: one["evidence"] for one in found if one["id"].startswith("live-")}


def test_a_processor_build_lists_nothing_as_told(env: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert list(ask(env, capsys)) == ["live-none-as-told"]


def test_a_device_is_named(env: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(env, LISTS.replace("[]", "[type('D', (), {'name': 'GPU:0'})]"))
    assert list(ask(env, capsys)) == ["live-listed"]


def test_a_failing_import_is_diagnosed(env: Path, capsys: pytest.CaptureFixture[str]) -> None:
    error = "ImportError: numpy.core.multiarray failed to import; A module that was compiled using NumPy 1.x cannot be run in NumPy 2.0.2"
    write(env, f"raise ImportError({error!r})\n")
    evidence = ask(env, capsys)["live-failed"]
    assert any("numpy-2-abi" in line for line in evidence)
    assert any("NumPy 2.0.2" in line for line in evidence)


def test_a_crash_is_an_answer(env: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(env, "import os; os.abort()\n")
    assert list(ask(env, capsys)) == ["live-crashed"]


def test_a_hang_is_an_answer(env: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from trueup.machine.survey import read_survey

    write(env, "import time; time.sleep(60)\n")
    monkeypatch.setattr(live_module, "SECONDS", 1.0)
    survey = read_survey(this_host(), env_dir=env)
    assert isinstance(survey.environments, tuple)
    assert ask_live(this_host(), survey.environments[0], "tensorflow").outcome == "hung"


def test_files_that_promise_and_a_card_that_is_not_listed() -> None:
    checkup, _ = examined("aligned--windows-tf210-hook")
    log = "Could not load dynamic library 'cudnn64_8.dll'; dlerror: cudnn64_8.dll not found"
    assert checkup.subject is not None
    answer = Live("tensorflow", checkup.subject.path, "none", status=0, lines=(log,), log=log)
    again = check(checkup.survey, load(), answers=(answer,))
    assert again.cause is not None
    assert again.cause.id == "live-none"
    assert again.cause.evidence[0].params["cause"] == "cudnn-missing"
    listed = check(checkup.survey, load(), answers=(replace(answer, outcome="listed", devices=("GPU:0",)),))
    assert listed.outcome == "aligned"


def test_windows_status_codes_are_written_as_people_know_them() -> None:
    answer = parse_live("tensorflow", "D:\\e", RunResult(3221225501, "", ""))
    assert answer.outcome == "crashed"
    checkup, _ = examined("aligned--windows-tf210-hook")
    again = check(checkup.survey, load(), answers=(answer,))
    assert again.cause is not None
    assert again.cause.text.params["status"] == "0xC000001D"
