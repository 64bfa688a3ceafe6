"""A machine without a card: what is proven on its processor is said, and not proposed to be built again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from examined import MACHINES, NAMES
from world import World, load

from trueup.cli.main import run
from trueup.diagnose.findings import Checkup, check
from trueup.diagnose.mend.walk import walk
from trueup.facts import load as load_facts
from trueup.machine.host import RecordedHost, Recording
from trueup.machine.survey import read_survey
from trueup.report.check import verdict_lines
from trueup.report.doctor import end_text
from trueup.report.redact import redact_all

if TYPE_CHECKING:
    from pathlib import Path

CPU = "no-card--linux-tensorflow-cpu"
ENV = "/home/user/project/.venv"
BUILT = {"tensorflow_cpu": "2.19.0", "keras": "3.9.0", "numpy": "2.1.3", "protobuf": "5.29.3"}


def record(**other: Any) -> dict[str, Any]:
    """Return what `trueup.json` of a proven environment holds, as far as a check reads it."""
    proof = {"outcome": "proven", "date": "2026-11-30T10:00:00Z", "framework": "tensorflow"}
    built = {name: [version, "digest"] for name, version in BUILT.items()}
    return {"device": "cpu", "proof": proof, "fingerprint": {"distributions": built}, **other}


def world(document: Any, name: str = CPU, **files: str | None) -> World:
    data = load(MACHINES / name / "machine.json").data
    text = document if isinstance(document, str) else json.dumps(document)
    return World({**data, "files": {**data["files"], f"{ENV}/trueup.json": text, **files}})


def judged(document: Any, name: str = CPU, **files: str | None) -> Checkup:
    return check(read_survey(World(world(document, name, **files).data)), load_facts())


def commands(checkup: Checkup) -> list[str | None]:
    assert checkup.cause is not None
    return [one.command for one in checkup.cause.remedies]


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_a_proven_environment_is_named_and_not_built_again(lang: str) -> None:
    checkup = judged(record())
    assert checkup.outcome == "cpu-only"
    assert [one.status for one in checkup.findings if one.id == "cpu-proven"] == ["ok"]
    assert commands(checkup) == [f"trueup verify --env {ENV}", None]
    text = "\n".join(verdict_lines(checkup, lang))
    assert "trueup up" not in text
    assert "NVIDIA" in text
    walked = walk(lambda: checkup, lambda _step: pytest.fail("nothing is to be done"))
    assert walked.end == "cpu-only"
    assert "trueup up" not in end_text(walked, lang)
    assert f"trueup verify --env {ENV}" in end_text(walked, lang)


REPLACED = {**record(), "fingerprint": {"distributions": {"numpy": ["1.26.4", "digest"]}}}
REMOVED = {**record(), "fingerprint": {"distributions": {**record()["fingerprint"]["distributions"],
                                                         "h5py": ["3.12.0", "digest"]}}}  # fmt: skip
DOUBTFUL = {
    "no record": "",
    "not JSON": "{",
    "another thing": "[1, 2]",
    "built, not proven": record(proof=None),
    "a failed proof": record(proof={"outcome": "failed", "date": "2026-11-30", "framework": "tensorflow"}),
    "another framework": record(proof={"outcome": "proven", "date": "2026-11-30", "framework": "torch"}),
    "no date": record(proof={"outcome": "proven", "framework": "tensorflow"}),
    "proven on a GPU": record(device="gpu"),
    "a package of another version": REPLACED,
    "a package that is gone": REMOVED,
    "no packages": record(fingerprint={"distributions": {}}),
}


@pytest.mark.parametrize("why", DOUBTFUL)
def test_whatever_is_in_doubt_is_not_called_proven(why: str) -> None:
    checkup = judged(DOUBTFUL[why])
    assert not any(one.id == "cpu-proven" for one in checkup.findings)
    assert commands(checkup)[0] == checkup.command
    assert checkup.command.startswith("trueup up")


BROKEN: dict[str, dict[str, str | None]] = {
    "python": {f"{ENV}/bin/python": None},
    "rests": {f"{ENV}/lib/python3.11/site-packages/~ensorflow/__init__.py": ""},
    "another problem": {f"{ENV}/lib/python3.11/site-packages/numpy-1.26.4.dist-info/METADATA": "Name: numpy\n"},
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_proof_counts_for_nothing_where_the_environment_is_damaged_since(what: str) -> None:
    checkup = judged(record(), CPU, **BROKEN[what])
    assert not any(one.id == "cpu-proven" for one in checkup.findings)


def test_a_machine_with_a_card_hears_nothing_of_the_processor() -> None:
    for name in (one for one in NAMES if one.startswith(("aligned--linux", "ready--linux"))):
        assert not any(one.id == "cpu-proven" for one in judged(record(), name).findings)


def test_a_card_that_the_build_does_not_use_is_still_a_fault() -> None:
    data = {
        **world(record()).data,
        "nvml": load(MACHINES / "ready--linux-a100" / "machine.json").data["nvml"],
    }
    checkup = check(read_survey(World(data)), load_facts())
    assert checkup.outcome == "not-aligned"
    assert not any(one.id == "cpu-proven" for one in checkup.findings)


@pytest.mark.parametrize(
    "name", [one for one in NAMES if one.startswith(("no-card", "no-nvidia", "gpu-not-nv"))]
)
def test_what_a_gpu_would_take_is_said_in_every_case(name: str) -> None:
    checkup = check(read_survey(load(MACHINES / name / "machine.json")), load_facts())
    assert checkup.cause is not None
    assert checkup.cause.remedies[-1].text.code in ("findings.gpu-fix", "findings.gpu-on-mac-fix")


def test_a_recording_answers_the_same_and_the_exit_status_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = Recording(world(record()))
    first = check(read_survey(recording), load_facts())
    document = json.loads(json.dumps(redact_all(recording.document())))
    again = check(read_survey(RecordedHost(document)), load_facts())
    assert [one.id for one in again.findings] == [one.id for one in first.findings]
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(document), "utf-8")
    assert run(["check", "--machine", str(path)]) == 1
    assert "trueup up" not in capsys.readouterr().out
