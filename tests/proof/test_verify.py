"""`trueup verify`, from the command line."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest

from trueup.cli.main import run
from trueup.proof.model import Outcome, Proof
from trueup.setup.model import Record
from trueup.setup.record import write

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.setup.model import Device

PROVEN = Proof(
    Outcome.PROVEN, "gpu", "tensorflow", "compare", 9.0, gpus=("Card",), date="2026-11-30T10:00:00+00:00"
)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path, str, dict[str, Any]]]:
    """Let the proof pass at once and keep its questions; the test sets another answer by `answer`."""
    questions: list[tuple[Path, str, dict[str, Any]]] = []

    def prove(python: Path, expected: str, **more: Any) -> Proof:
        questions.append((python, expected, more))
        return replace(PROVEN, outcome=Outcome(os.environ.get("TRUEUP_TEST_OUTCOME", "proven")))

    monkeypatch.setattr("trueup.proof.train.prove", prove)
    monkeypatch.setattr("trueup.cli.proving.train", prove)
    return questions


def environment(folder: Path, device: Device | None) -> Path:
    """Make what looks like an environment; with a record where a device was announced."""
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").symlink_to(sys.executable)
    if device:
        write(folder, Record("0.1.0", "2026-11-30T00:00:00Z", None, "0" * 64, device, "3.10", {}, {}))
    return folder


def test_the_record_says_which_device(tmp_path: Path, asked: list[tuple[Path, str, Any]]) -> None:
    env = environment(tmp_path / "my env", "gpu")
    assert run(["verify", "--env", str(env)]) == 0
    assert asked[0][:2] == (env / "bin" / "python", "gpu")


def test_the_user_may_name_another(tmp_path: Path, asked: list[tuple[Path, str, Any]]) -> None:
    env = environment(tmp_path / "env", "gpu")
    assert run(["verify", "--env", str(env), "--device", "cpu", "--data", "mnist"]) == 0
    assert asked[0][1] == "cpu"
    assert asked[0][2]["data"] == "mnist"


@pytest.mark.usefixtures("asked")
@pytest.mark.parametrize(("outcome", "status"), [("proven", 0), ("cpu-fallback", 4), ("hung", 1)])
def test_exit_status_and_json(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    outcome: str,
    status: int,
) -> None:
    monkeypatch.setenv("TRUEUP_TEST_OUTCOME", outcome)
    env = environment(tmp_path / "env", "gpu")
    assert run(["verify", "--env", str(env), "--json"]) == status
    out, err = capsys.readouterr()
    answer = json.loads(out)
    assert (answer["schema"], answer["outcome"]) == ("trueup.verify/1", outcome)
    assert err == ""


def announce(env: Path, alignment: dict[str, Any]) -> None:
    write(env, Record("0.1.0", "2026-11-30T00:00:00Z", None, "0" * 64, "gpu", "3.10", alignment, {}))


def test_the_record_says_what_to_train_with_and_how_long_to_wait(
    tmp_path: Path, asked: list[tuple[Path, str, Any]]
) -> None:
    env = environment(tmp_path / "env", None)
    announce(env, {"builds": [{"framework": "cupy"}, {"framework": "torch"}], "kernels": "ptx-jit"})
    assert run(["verify", "--env", str(env)]) == 0
    assert asked[0][2]["framework"] == "torch"
    assert asked[0][2]["timeouts"].train == 3600


def test_a_framework_without_a_proof_is_not_called_proven(
    tmp_path: Path, asked: list[tuple[Path, str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    env = environment(tmp_path / "env", None)
    announce(env, {"builds": [{"framework": "paddlepaddle"}], "kernels": "native"})
    assert run(["verify", "--env", str(env)]) == 2
    assert not asked
    assert "paddlepaddle" in capsys.readouterr().err


def test_no_environment_is_the_users_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["verify", "--env", str(tmp_path / "nothing")]) == 2
    error = capsys.readouterr().err
    assert str(tmp_path / "nothing") in error
    assert "trueup up" in error


def test_an_environment_of_others_needs_a_device(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = environment(tmp_path / "env", None)
    assert run(["--lang", "zh", "verify", "--env", str(env)]) == 2
    assert "--device" in capsys.readouterr().err


def test_a_record_survives_the_way_to_disk(tmp_path: Path) -> None:
    from trueup.setup.record import read

    env = environment(tmp_path / "env", "directml")
    record = read(env)
    assert record is not None
    assert asdict(record)["device"] == "directml"
