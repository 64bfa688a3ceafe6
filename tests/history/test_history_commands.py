"""`trueup history`, `trueup diff` and what `check` says of the past, from the outside."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from days import SITE, examined, world
from days import entry as blank

from trueup.cli import remember
from trueup.cli.main import run
from trueup.cli.session import Session
from trueup.history import Reach, Store
from trueup.history.store import NAME

if TYPE_CHECKING:
    from pathlib import Path

DRIVER = {"driver": "442.19", "cuda": 10020, "library": "10.442.19"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the user's data folder: the history is on."""
    monkeypatch.delenv("TRUEUP_NO_HISTORY")
    monkeypatch.setattr("trueup.cli.places.data_folder", lambda: tmp_path / "data")
    monkeypatch.setattr(remember, "data_folder", lambda: tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "data"


def checked(lang: str = "en", **changes: Any) -> list[str]:
    """Keep a check of the machine and return what is said of the past."""
    host = world(**changes)
    from trueup.report.say import say

    answer = remember.check(Session(lang), examined(host), host)
    return [say(one.text, lang) for one in answer.findings if one.id == "worked-before"]


def data(capsys: pytest.CaptureFixture[str], schema: str) -> dict[str, Any]:
    shipped = resources.files("trueup.report").joinpath("schemas", schema)
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, json.loads(shipped.read_text("utf-8")))
    return answer


def test_check_says_what_changed_since_it_worked(folder: Path) -> None:
    assert checked() == []
    said = checked(nvml=DRIVER)
    assert len(said) == 1
    assert "worked on 20" in said[0]
    assert "; since then " in said[0]
    assert "the driver went from 536.67 to 442.19" in said[0]
    assert "驱动从 536.67 变为 442.19" in checked("zh_CN", nvml=DRIVER)[0]
    assert len(Store(folder).newest(9)) == 2


def test_check_says_nothing_while_it_works(folder: Path) -> None:
    checked()
    listed = [name.replace("rich", "rich") for name in world().data["packages"][SITE]]
    assert checked(packages={SITE: [*listed, "tqdm-4.0"]}) == []
    assert folder.exists()


@pytest.mark.usefixtures("folder")
def test_check_says_nothing_where_it_never_worked() -> None:
    assert checked(nvml=DRIVER) == []
    assert checked(nvml=DRIVER) == []


def test_nothing_is_kept_where_it_is_not_wanted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEUP_NO_HISTORY", "1")
    checked()
    assert not folder.exists()
    monkeypatch.delenv("TRUEUP_NO_HISTORY")
    assert run(["history", "--off", "--lang", "en"]) == 0
    checked()
    assert not (folder / NAME).exists()
    assert run(["history", "--on", "--lang", "en"]) == 0
    checked()
    assert (folder / NAME).exists()
    assert run(["history", "--forget"]) == 0
    assert not (folder / NAME).exists()


def test_nobody_is_named(folder: Path) -> None:
    checked(env={"CUDA_PATH": "C:\\Users\\Jane Roe\\cuda"})
    kept = Store(folder).get(1)
    assert kept is not None
    assert "Jane" not in json.dumps(dict(kept.facts or {}))
    assert "user" in json.dumps(dict(kept.facts or {}))


def test_a_history_in_trouble_never_ends_a_check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder.mkdir()
    (folder / NAME).write_bytes(b"no database" * 200)
    checked()
    assert "the history was damaged; it is now at" in capsys.readouterr().err
    (folder / NAME).unlink()
    for left in folder.glob("history*"):
        left.unlink()
    folder.rmdir()
    folder.write_text("a file where the folder should be")
    checked()
    assert "not kept in the history: " in capsys.readouterr().err


def test_a_fault_of_ours_never_ends_a_check(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyError("thing")

    monkeypatch.setattr("trueup.history.flatten", fail)
    checked()
    assert "not kept in the history: KeyError" in capsys.readouterr().err
    assert not (folder / NAME).exists()


@pytest.mark.usefixtures("folder")
def test_the_table_and_its_data(capsys: pytest.CaptureFixture[str]) -> None:
    checked()
    checked(nvml=DRIVER)
    assert run(["history", "--lang", "en"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == [
        "id",
        "when",
        "what",
        "verdict",
        "times",
        "cause",
        "or",
        "result",
        "environment",
    ]
    assert "not in line" in lines[1]
    assert "D:\\project\\.venv" in lines[1]
    assert run(["history", "--json"]) == 0
    answer = data(capsys, "history-1.json")
    assert [one["works"] for one in answer["entries"]] == [None, "gpu"]
    assert run(["history", "--lang", "zh", "--last", "1"]) == 0
    out = capsys.readouterr().out
    assert "检查" in out
    assert len(out.splitlines()) == 2


@pytest.mark.usefixtures("folder")
def test_nothing_yet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["history", "--lang", "en"]) == 0
    assert "`trueup check` is the first entry" in capsys.readouterr().out
    assert run(["diff", "--lang", "en", "1", "2"]) == 2
    assert "nothing is kept of this machine yet" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_the_difference_of_two_entries(capsys: pytest.CaptureFixture[str]) -> None:
    checked()
    listed = [name.replace("numpy-1.23.5", "numpy-2.0.1") for name in world().data["packages"][SITE]]
    checked(nvml=DRIVER, packages={SITE: listed})
    assert run(["diff", "1", "2", "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert out.index("driver went from 536.67 to 442.19") < out.index(
        "numpy was upgraded from 1.23.5 to 2.0.1"
    )
    assert "trueup installs no drivers" in out
    assert run(["diff", "1", "2", "--json"]) == 0
    answer = data(capsys, "diff-1.json")
    assert [one["layer"] for one in answer["changes"]] == ["driver", "driver", "packages"]
    assert run(["diff", "last-good", "2", "--lang", "zh"]) == 0
    assert "驱动从 536.67 变为 442.19" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "told", "hint"),
    [
        (["diff", "soon"], "`soon` names no moment", "3 days ago"),
        (["diff", "99", "1"], "there is no entry #99", "the oldest entry is #1"),
        (
            ["diff", "1990-01-01", "1"],
            "nothing is kept of this environment from 1990-01-01",
            "`trueup diff 1`",
        ),
        (["history", "--off", "--on"], "cannot both be meant", "leave one"),
        (["history", "--last", "0"], "--last", ""),
    ],
)
def test_mistakes(words: list[str], told: str, hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    checked()
    assert run([*words, "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert hint in err


@pytest.mark.usefixtures("folder")
def test_check_of_this_very_machine_is_kept_and_compared(capsys: pytest.CaptureFixture[str]) -> None:
    run(["check", "--json"])
    assert json.loads(capsys.readouterr().out)["schema"] == "trueup.check/1"
    assert run(["diff", "1", "--lang", "en"]) == 0
    assert "and now:" in capsys.readouterr().out
    assert run(["diff", "--lang", "en"]) in (0, 2)


def test_a_proof_is_kept_with_its_numbers(folder: Path) -> None:
    told = {
        "outcome": "proven", "expected": "cpu", "framework": "tensorflow", "accuracy": 0.981,
        "epoch_seconds": [4.0, 2.0], "cpu_epoch_seconds": None, "seconds": 30.0,
    }  # fmt: skip
    remember.proven(Session("en"), folder / "env" / "bin" / "python", told)
    remember.built(Session("en"), folder / "env")
    built, proof = Store(folder).newest(9)
    assert (built.kind, built.reach, proof.kind, proof.reach) == ("build", Reach.NO, "proof", Reach.CPU)
    assert proof.numbers == {"accuracy": 0.981, "epoch_seconds": [4.0, 2.0], "seconds": 30.0}


@pytest.mark.usefixtures("folder")
def test_two_environments_are_not_mixed_up(capsys: pytest.CaptureFixture[str]) -> None:
    checked()
    host = world("environment-without-python--windows-python-uninstalled")
    other = examined(host)
    assert other.subject is not None
    elsewhere = replace(other, subject=replace(other.subject, path="D:\\other", packages=()))
    remember.check(Session("en"), elsewhere, host)
    assert run(["diff", "1", "2", "--lang", "en"]) == 0
    out = capsys.readouterr().out
    assert "They are about different environments" in out
    assert "was removed" not in out


def test_an_environment_that_is_gone_or_never_was(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = replace(
        blank(), machine=remember.this_machine(), env=remember.key_of_folder(str(tmp_path / "lost"))
    )
    Store(folder).add(lost, 1)
    assert run(["diff", "--env", "lost", "--lang", "en"]) == 2
    assert "the environment `lost` is gone" in capsys.readouterr().err
    assert run(["diff", "--env", "never", "--lang", "en"]) == 2
    assert "there is no Python environment in `never`" in capsys.readouterr().err
