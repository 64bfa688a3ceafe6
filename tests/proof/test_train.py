"""Every way that a proof can end, with children that do nothing else."""

from __future__ import annotations

import sys
import time
from dataclasses import asdict
from pathlib import Path

import psutil
import pytest

from trueup.proof.model import Event, Expected, Outcome, Proof, Timeouts
from trueup.proof.train import prove

FAKE = Path(__file__).with_name("fake_child.py")
PATIENT = Timeouts(**dict.fromkeys(asdict(Timeouts()), 60.0))


def run(case: str, expected: Expected = "gpu", timeouts: Timeouts = PATIENT) -> Proof:
    return prove(Path(sys.executable), expected, framework=case, child=FAKE, timeouts=timeouts)


@pytest.mark.parametrize(
    ("case", "outcome", "status"),
    [
        ("good", Outcome.PROVEN, 0),
        ("kernels", Outcome.PROVEN, 0),
        ("late", Outcome.PROVEN, 0),
        ("leave-a-child", Outcome.PROVEN, 0),
        ("no-gpu", Outcome.CPU_FALLBACK, 4),
        ("on-cpu", Outcome.CPU_FALLBACK, 4),
        ("kernel-on-cpu", Outcome.CPU_FALLBACK, 4),
        ("nowhere", Outcome.CPU_FALLBACK, 4),
        ("dull", Outcome.INACCURATE, 1),
        ("wrong", Outcome.DISAGREES, 1),
        ("not-a-number", Outcome.DISAGREES, 1),
        ("import-error", Outcome.IMPORT_ERROR, 1),
        ("crash", Outcome.CRASHED, 1),
        ("exit-7", Outcome.CRASHED, 1),
        ("silent-end", Outcome.CRASHED, 1),
        ("hollow", Outcome.UNREADABLE, 1),
    ],
)
def test_outcome_and_exit_status(case: str, outcome: Outcome, status: int) -> None:
    proof = run(case)
    assert (proof.outcome, proof.exit_status) == (outcome, status)


def test_what_was_measured_is_told() -> None:
    proof = run("good")
    assert proof.versions == {"tensorflow": "2.10.1", "numpy": "1.23.5"}
    assert proof.gpus == ("Card (8.6)",)
    assert proof.epochs == (2.0, 1.0, 2.0 / 3)
    assert proof.cpu_epoch == 3.0
    assert proof.speedup == pytest.approx(4.5)
    assert [a.operation for a in proof.agreement] == ["conv2d", "matmul"]
    assert proof.peak_mb == 412.5
    assert proof.date.startswith("20")


def test_a_cpu_proof_needs_no_comparison() -> None:
    proof = run("good", "cpu")
    assert proof.outcome is Outcome.PROVEN
    assert proof.speedup is None
    assert proof.agreement == ()


def test_a_crash_quotes_the_last_lines() -> None:
    proof = run("crash")
    assert proof.ending == "SIGSEGV"
    assert proof.phase == "devices"
    assert "last words: 中文" in proof.last_lines


def test_an_exit_status_is_named() -> None:
    assert run("exit-7").ending == "exit status 7"


def test_a_hang_ends_the_whole_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "pid"
    monkeypatch.setenv("TRUEUP_TEST_PID", str(note))
    begin = time.monotonic()
    proof = run("hang", timeouts=Timeouts(train=5))
    assert proof.outcome is Outcome.HUNG
    assert (proof.phase, proof.waited) == ("train", 5)
    assert "waiting for a lock" in proof.last_lines
    assert time.monotonic() - begin < 50
    grandchild = int(note.read_text())
    assert not psutil.pid_exists(grandchild) or psutil.Process(grandchild).status() == "zombie"


def test_an_answer_that_is_not_ours_is_quoted() -> None:
    proof = run("garbage")
    assert proof.outcome is Outcome.UNREADABLE
    assert proof.words == '{"event": "versions", "versions": 7}'


def test_an_import_error_keeps_its_words() -> None:
    proof = run("import-error")
    assert proof.phase == "import"
    assert proof.words == "AttributeError: _ARRAY_API not found\nmore"


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    proof = prove(tmp_path / "python", "cpu")
    assert (proof.outcome, proof.phase) == (Outcome.NO_START, "start")


def test_events_tell_phases_and_steps() -> None:
    seen: list[Event] = []
    prove(Path(sys.executable), "gpu", framework="good", child=FAKE, on_event=seen.append)
    assert [e.phase for e in seen if not e.step] == ["import", "devices", "data", "train", "compare"]
    steps = [e for e in seen if e.step]
    assert [e.epoch for e in steps] == [1, 2, 3]
    assert steps[0] == Event("train", "/GPU:0", 1, 3, 75, 75, 0.1, 0.9)


def test_the_real_child_says_when_the_framework_is_missing() -> None:
    proof = prove(Path(sys.executable), "cpu", framework="tensorflow_that_nobody_has")
    assert proof.outcome is Outcome.NOT_INSTALLED
    assert proof.python is not None


def test_the_child_leaves_nothing_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = "import os, tempfile\nraise ImportError(os.environ['KERAS_HOME'] + '|' + tempfile.gettempdir())\n"
    (tmp_path / "tensorflow.py").write_text(told)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    proof = prove(Path(sys.executable), "cpu")
    keras, temporary = (proof.words or "").removeprefix("ImportError: ").split("|")
    assert "trueup-proof-" in keras
    assert keras == temporary
    assert not Path(keras).exists()
