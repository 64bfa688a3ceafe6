"""The closure proof of a finished environment: `trueup verify`, and after a build."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from made_sets import windows_set

from trueup.cli.main import run
from trueup.cli.proving import close
from trueup.cli.session import Session
from trueup.cli.up_walk import Walk
from trueup.facts.catalog import load
from trueup.facts.model import CudaFrom
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.model import Gpu, Machine, Python
from trueup.proof import closure
from trueup.proof.model import Outcome, Proof
from trueup.report.solution import as_data
from trueup.setup import record
from trueup.setup.model import Environment, Record, State

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.fit.model import Alignment

PC = Machine(
    "windows",
    arch="x86_64",
    os_build="10.0.22631",
    gpus=(Gpu("NVIDIA GeForce RTX 3060", vendor="nvidia"),),
    driver="531.14",
    pythons=(Python("3.10.11"),),
    disk_free_gb=100.0,
)


def alignment() -> Alignment:
    best = solve(Wish(("tensorflow",)), PC, load()).best
    assert best is not None
    return best


def finished(folder: Path, *left_out: str, chosen: Alignment | None = None) -> Path:
    """Make what a build on Windows leaves behind, with made libraries; some may be left out."""
    for path in (folder / "Scripts" / "python.exe", folder / "Lib" / "site-packages" / "x.py"):
        path.parent.mkdir(parents=True)
        path.touch()
    for file in windows_set(*left_out):
        target = folder / "Lib" / "site-packages" / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        assert file.open is not None
        target.write_bytes(file.open().read())
    raw = json.loads(json.dumps(asdict(chosen or alignment()), default=str))
    made = Record("0.1.0", "2026-11-30T00:00:00Z", None, "0" * 64, "gpu", "3.10", raw, {})
    record.write(folder, made)
    return folder


def valid(document: dict[str, Any], schema: str) -> None:
    text = resources.files("trueup.report").joinpath("schemas", f"{schema}-1.json").read_text("utf-8")
    jsonschema.validate(document, json.loads(text))


def test_a_finished_environment_is_closed_or_says_what_it_lacks(tmp_path: Path) -> None:
    session = Session(lang="en")
    whole = close(session, finished(tmp_path / "whole"), PC)
    assert whole is not None
    assert whole.status == 0
    assert whole.data["complete"]
    assert whole.data["target"]["capabilities"] == ["8.6"]
    valid(whole.data, "closure")
    lacking = close(session, finished(tmp_path / "lacking", "cufft64_10.dll"), PC)
    assert lacking is not None
    assert lacking.status == 1
    assert "`cufft64_10.dll`" in lacking.text


def test_what_brings_no_cuda_has_nothing_to_close(tmp_path: Path) -> None:
    best = alignment()
    builds = (replace(best.builds[0], cuda_from=CudaFrom.SYSTEM),)
    of_the_machine = replace(best, builds=builds)
    assert closure.target_of(of_the_machine, PC) is None
    assert close(Session(lang="en"), finished(tmp_path / "env", chosen=of_the_machine), PC) is None
    assert close(Session(lang="en"), tmp_path / "nothing", PC) is None


def test_all_frameworks_of_a_set_are_asked_for_what_they_load() -> None:
    best = alignment()
    other = replace(best.builds[0], framework="onnxruntime", version="1.20.0")
    target = closure.target_of(replace(best, builds=(*best.builds, other)), PC)
    assert target is not None
    assert target.beside == (("onnxruntime", "1.20.0"),)
    report = closure.prove(windows_set(), target)
    assert {m.wanted_by for m in report.needed} == {"onnxruntime"}


@pytest.mark.parametrize(("left_out", "status"), [((), 0), (("curand64_10.dll",), 1)])
def test_verify_looks_without_training(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], left_out: tuple[str, ...], status: int
) -> None:
    env = finished(tmp_path / "env", *left_out)
    assert run(["verify", "--env", str(env), "--no-train", "--json"]) == status
    answer = json.loads(capsys.readouterr().out)
    valid(answer, "closure")
    assert [m["name"] for m in answer["missing"] if m["feature"] is None] == list(left_out)
    assert answer["seconds"] >= 0
    for lang in ("en", "zh"):
        assert run(["--lang", lang, "verify", "--env", str(env), "--no-train"]) == status
        said = capsys.readouterr().out
        assert all(f"`{name}`" in said for name in left_out)


def test_verify_trains_after_the_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def prove(*_: Any, **__: Any) -> Proof:
        return Proof(Outcome.PROVEN, "gpu", "tensorflow", "compare", 9.0, date="2026-11-30T10:00:00+00:00")

    monkeypatch.setattr("trueup.cli.proving.train", prove)
    env = finished(tmp_path / "env")
    assert run(["verify", "--env", str(env), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    valid(answer, "verify")
    valid(answer["closure"], "closure")
    assert run(["verify", "--env", str(env)]) == 0
    out = capsys.readouterr().out
    assert out.index("Complete") < out.lower().index("proven")


def test_nothing_to_look_at_is_said_with_a_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = tmp_path / "env"
    (env / "Scripts").mkdir(parents=True)
    (env / "Scripts" / "python.exe").touch()
    assert run(["verify", "--env", str(env), "--no-train"]) == 2
    assert "--no-train" in capsys.readouterr().err


def test_a_file_that_cannot_be_read_is_named_and_ends_nothing(tmp_path: Path) -> None:
    env = finished(tmp_path / "env")
    gone = env / "Lib" / "site-packages" / "nvidia" / "gone" / "bin" / "nppc64_11.dll"
    gone.parent.mkdir(parents=True)
    gone.symlink_to(tmp_path / "nowhere.dll")
    shown = close(Session(lang="en"), env, PC)
    assert shown is not None
    assert shown.status == 1
    assert [row["file"] for row in shown.data["unreadable"]] == ["nvidia/gone/bin/nppc64_11.dll"]
    assert "nppc64_11.dll" in shown.text


@pytest.mark.parametrize("as_json", [False, True])
def test_a_build_ends_with_the_look(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, as_json: bool
) -> None:
    env = tmp_path / "env"
    session, wish = Session(lang="en"), Wish(("tensorflow",))
    walk = Walk(session, wish, env, PC, solve(wish, PC, load()), State("missing", env), as_json)

    def build(*_: Any, **__: Any) -> Environment:
        found = record.read(finished(env))
        assert found is not None
        return record.environment(env, found)

    monkeypatch.setattr("trueup.setup.build", build)
    walk.build(alignment())
    valid(walk.answer["closure"], "closure")
    assert walk.answer["closure"]["closed"]
    assert ("Complete: " in capsys.readouterr().out) != as_json
    assert walk.unproven() == 1
    valid(
        {**walk.answer, "schema": "trueup.up/1", "env": str(env), "solution": as_data(walk.solution, "en")},
        "up",
    )
