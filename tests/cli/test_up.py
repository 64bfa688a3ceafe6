"""The walk of `trueup up` over described machines, with the build and the proof played."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from trueup import setup
from trueup.cli import main, up_walk
from trueup.cli.proving import Shown
from trueup.machine.describe import parse
from trueup.setup.model import EnvChange, Environment, Record, State, StateName

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.fit.model import Alignment

NO_CARD: dict[str, Any] = {
    "os": "linux",
    "arch": "x86_64",
    "gpus": [],
    "glibc": "2.36",
    "driver": None,
    "disk_free_gb": 100,
}
OLD_DRIVER = {
    "os": "linux",
    "arch": "x86_64",
    "gpus": [{"name": "NVIDIA GeForce GTX 1080 Ti"}],
    "driver": "470.256.02",
    "glibc": "2.35",
    "disk_free_gb": 100,
}
WINDOWS_3060 = {
    "os": "windows",
    "arch": "x86_64",
    "os_build": "10.0.22631",
    "gpus": [{"name": "NVIDIA GeForce RTX 3060"}],
    "driver": "536.67",
    "disk_free_gb": 100,
}
SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "up-1.json").read_text("utf-8"))


def record(proof: dict[str, Any] | None, question: str) -> Record:
    return Record(
        trueup="0.1.0",
        made="2026-11-30",
        request_id=question,
        lock_sha256="0" * 64,
        device="cpu",
        python="3.12.1",
        alignment={},
        fingerprint={},
        proof=proof,
    )


@dataclass
class Stage:
    """The rooms below `up`, played: what is found, and what was done."""

    monkeypatch: pytest.MonkeyPatch
    env: Path
    machine: dict[str, Any] = field(default_factory=lambda: NO_CARD)
    state: StateName = "missing"
    record: Record | None = None
    made_version: str | None = (
        None  # the framework that the environment holds; None: just what would be built
    )
    proof_status: int = 0
    built: list[Any] = field(default_factory=list)
    proven_on: list[str] = field(default_factory=list)
    marked: list[Any] = field(default_factory=list)

    def play(self) -> None:
        self.monkeypatch.setattr(up_walk, "read_machine", lambda *_, **__: parse(self.machine))
        self.monkeypatch.setattr(setup, "inspect", self._inspect)
        self.monkeypatch.setattr(setup, "build", self._build)
        self.monkeypatch.setattr(setup, "mark_proven", lambda *args: self.marked.append(args))
        self.monkeypatch.setattr(up_walk, "prove", self._prove)
        self.monkeypatch.setattr(setup, "answers", self._answers)

    def _answers(self, _state: object, alignment: Alignment, _question: object) -> bool:
        return self.made_version in (None, alignment.builds[0].version)

    def _inspect(self, env: Path) -> State:
        made = Environment(env, env / "bin" / "python", self.record) if self.record else None
        return State(self.state, env, made, (EnvChange("replaced", "numpy", "1.26.4", "2.1.0"),))

    def _build(self, alignment: Any, *_: object, **__: object) -> Environment:
        self.built.append(alignment)
        return Environment(self.env, self.env / "bin" / "python", record(None, "q"))

    def _prove(self, _session: object, _python: Path, device: str, *, quiet: bool) -> Shown:
        del quiet
        self.proven_on.append(device)
        return Shown(self.proof_status, f"trained on {device}", {"outcome": "played", "date": "2026-11-30"})


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stage:
    return Stage(monkeypatch, tmp_path / "环境 env")


def up(
    stage: Stage, capsys: pytest.CaptureFixture[str], *args: str, wish: str = "tensorflow"
) -> tuple[int, str, str]:
    stage.play()
    status = main.run(["up", wish, "--env", str(stage.env), *args])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_cpu_route_is_announced_before_it_is_built_and_proven_there(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, _ = up(stage, capsys, "--yes")
    assert status == 0
    assert stage.proven_on == ["cpu"]
    assert len(stage.marked) == 1
    assert out.index("the CPU:") < out.index("trained on cpu")
    assert "activate" in out.splitlines()[-1]


def test_the_licence_of_a_wheel_is_named_only_where_it_is_installed(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "msvc-runtime" not in up(stage, capsys, "--yes")[1]
    stage.machine = WINDOWS_3060
    assert "msvc-runtime" in up(stage, capsys, "--yes")[1]


def test_no_prove_holds_for_an_environment_that_is_there(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.state, stage.record = "complete", record(None, "q")
    status, out, _ = up(stage, capsys, "--yes", "--no-prove")
    assert (status, stage.proven_on) == (1, [])
    assert "prove" in out
    assert up(stage, capsys, "--yes")[0] == 0
    assert stage.proven_on == ["cpu"]


def test_a_windows_card_gets_the_native_route(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.machine = WINDOWS_3060
    status, out, _ = up(stage, capsys, "--yes")
    assert (status, stage.proven_on) == (0, ["gpu"])
    assert stage.built[0].route == "windows-native"
    assert "2.10" in out
    assert "WSL2" in out  # the way to more


def test_nobody_to_ask_builds_nothing(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    status, out, err = up(stage, capsys)
    assert (status, stage.built) == (2, [])
    assert "tensorflow" in out  # the plan was shown
    assert "--yes" in err


@pytest.mark.parametrize(
    ("typed", "status", "builds"), [("n\n", 1, 0), ("\n", 1, 0), ("y\n", 0, 1), ("是\n", 0, 1)]
)
def test_a_person_is_asked(
    stage: Stage, capsys: pytest.CaptureFixture[str], typed: str, status: int, builds: int
) -> None:
    terminal = io.StringIO(typed)
    stage.monkeypatch.setattr(terminal, "isatty", lambda: True)
    stage.monkeypatch.setattr("sys.stdin", terminal)
    got, _, _ = up(stage, capsys)
    assert (got, len(stage.built)) == (status, builds)


def test_a_fallback_keeps_its_own_status_and_no_proof(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.machine, stage.proof_status = WINDOWS_3060, 4
    status, _, _ = up(stage, capsys, "--yes")
    assert (status, stage.marked) == (4, [])


def test_a_needed_change_comes_first(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.machine = OLD_DRIVER
    status, out, _ = up(stage, capsys, "--yes", wish="tensorflow==2.20.*")
    assert (status, stage.built) == (1, [])
    assert "525" in out
    assert "--route cpu" in out


def test_a_finished_environment_is_left_alone(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.state, stage.record = "complete", record({"date": "2026-11-29"}, "q")
    status, out, _ = up(stage, capsys)
    assert (status, stage.built, stage.proven_on) == (0, [], [])
    assert "2026-11-29" in out


def test_a_finished_environment_without_a_proof_is_proven(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.state, stage.record = "complete", record(None, "q")
    status, _, _ = up(stage, capsys)
    assert (status, stage.built, stage.proven_on) == (0, [], ["cpu"])


def test_an_environment_that_newer_facts_would_not_choose_still_counts(
    stage: Stage, capsys: pytest.CaptureFixture[str]
) -> None:
    made = record({"date": "2026-11-29"}, "q")
    build = {"framework": "tensorflow", "version": "2.20.0"}
    older = replace(made, python="3.11", alignment={"route": "cpu", "builds": [build]})
    stage.state, stage.record, stage.made_version = "complete", older, "2.20.0"
    status, out, _ = up(stage, capsys)
    assert (status, stage.built, stage.proven_on) == (0, [], [])
    assert "2.21" in out


def test_an_environment_for_another_wish_is_refused(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.state, stage.record, stage.made_version = "complete", record({"date": "2026-11-29"}, "q"), "1.0"
    status, _, err = up(stage, capsys, "--yes")
    assert (status, stage.built) == (2, [])
    assert "--env" in err


def test_a_changed_environment_says_what_changed(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.state, stage.record = "changed", record({"date": "2026-11-29"}, "q")
    status, out, _ = up(stage, capsys, "--yes")
    assert (status, stage.built) == (1, [])
    assert "numpy 1.26.4 -> 2.1.0" in out


def test_a_folder_of_somebody_else_is_refused(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    stage.state = "foreign"
    status, _, err = up(stage, capsys, "--yes")
    assert (status, stage.built) == (2, [])
    assert str(stage.env) in err


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("machine", [NO_CARD, OLD_DRIVER, WINDOWS_3060])
def test_data_follows_its_schema(
    stage: Stage, capsys: pytest.CaptureFixture[str], machine: dict[str, Any], lang: str
) -> None:
    stage.machine = machine
    status, out, _ = up(stage, capsys, "--yes", "--json", "--lang", lang)
    answer = json.loads(out)
    jsonschema.validate(answer, SCHEMA)
    assert (status == 0) == (answer["status"] in ("proven", "already"))


def test_unknown_framework_offers_the_nearest(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = up(stage, capsys, "--yes", wish="tensorfow")
    assert status == 2
    assert "tensorfow" in err
    assert "tensorflow" in err.split("tensorfow", 1)[1]


def test_impossible_python_says_which_exist(stage: Stage, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = up(stage, capsys, "--yes", "--python", "3.99")
    assert (status, stage.built) == (1, [])
    assert "3.13" in out
