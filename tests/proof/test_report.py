"""What a person and a program are told of a proof."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from trueup.proof.model import Agreement, Event, Outcome, Placement, Proof
from trueup.report.proof import Training, as_data, as_text, hint, verdict

if TYPE_CHECKING:
    from trueup.proof.model import Expected

NOT_REACHED = Proof(Outcome.CRASHED, "gpu", "tensorflow", "import", 3.2, date="2026-11-30T10:00:00+00:00")
GOOD = replace(
    NOT_REACHED,
    outcome=Outcome.PROVEN,
    phase="compare",
    python="3.10.11",
    versions={"tensorflow": "2.10.1", "numpy": "1.23.5", "keras": ""},
    gpus=("NVIDIA GeForce RTX 3060 (8.6)",),
    pictures=9600,
    tested=2000,
    placement=Placement(("GPU:0",), ("GPU:0",), ("Conv2D on GPU:0",)),
    accuracy=0.9912,
    epochs=(2.0, 1.0, 1.0),
    cpu_epoch=5.0,
    agreement=(Agreement("conv2d", 2e-6, 1e-3), Agreement("matmul", 3e-7, 1e-3)),
    peak_mb=412.5,
)


def schema() -> dict[str, Any]:
    text = resources.files("trueup.report").joinpath("schemas", "verify-1.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@pytest.mark.parametrize("proof", [GOOD, *(replace(NOT_REACHED, outcome=outcome) for outcome in Outcome)])
@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_the_data_follow_their_schema(proof: Proof, lang: str) -> None:
    jsonschema.validate(as_data(proof, lang), schema(), format_checker=jsonschema.FormatChecker())


@pytest.mark.parametrize("outcome", list(Outcome))
@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_every_failure_names_a_way_out(outcome: Outcome, lang: str) -> None:
    text = as_text(replace(NOT_REACHED, outcome=outcome, words="boom", ending="SIGSEGV"), lang)
    if outcome is not Outcome.PROVEN:
        assert "trueup " in text or "idle" in text or "空闲" in text
        assert hint(replace(NOT_REACHED, outcome=outcome), lang)


def test_a_proven_gpu_in_full() -> None:
    assert as_text(GOOD, "en").splitlines() == [
        "proven on the GPU: NVIDIA GeForce RTX 3060 (8.6)",
        "  TensorFlow 2.10.1, numpy 1.23.5, Python 3.10.11",
        "  accuracy 0.991 on 2000 unseen digits, drawn by the proof (needed 0.95)",
        "  variables on GPU:0; kernels: Conv2D on GPU:0",
        "  seconds an epoch: 2.00, 1.00, 1.00",
        "  seconds an epoch on the CPU: 5.00; the GPU is 5.0 times as fast",
        "  GPU and CPU agree: conv2d 2.0e-06, matmul 3.0e-07 of the largest value (allowed 1e-03)",
        "  most GPU memory in use: 412 MB",
    ]


@pytest.mark.parametrize(
    ("expected", "start"),
    [("cpu", "proven on the CPU"), ("directml", "proven on the GPU through DirectML: NVIDIA")],
)
def test_the_device_is_named(expected: Expected, start: str) -> None:
    assert verdict(replace(GOOD, expected=expected), "en").startswith(start)


def test_a_crash_quotes_the_last_lines_in_both_languages() -> None:
    proof = replace(NOT_REACHED, ending="0xC0000005", last_lines=("F check failed", "bye"))
    for lang in ("en", "zh_CN"):
        text = as_text(proof, lang)
        assert "0xC0000005" in text
        assert "  | F check failed\n  | bye" in text


def test_a_hidden_gpu_names_the_variable() -> None:
    proof = replace(NOT_REACHED, outcome=Outcome.CPU_FALLBACK, hidden="-1")
    assert "CUDA_VISIBLE_DEVICES" in as_text(proof, "en")


def test_work_on_the_cpu_says_where_it_was() -> None:
    placement = Placement(("CPU:0",), ("CPU:0",), ("MatMul on CPU:0",))
    proof = replace(GOOD, outcome=Outcome.CPU_FALLBACK, placement=placement)
    assert verdict(proof, "en").endswith("the work was done on CPU:0, MatMul on CPU:0")


def test_words_of_others_stay_in_one_line_and_name_no_message() -> None:
    proof = replace(NOT_REACHED, outcome=Outcome.UNREADABLE, words="@proof.epoch {x}\nmore")
    assert verdict(proof, "en").endswith("could not be read: proof.epoch {x}")


def test_no_number_is_null() -> None:
    proof = replace(GOOD, outcome=Outcome.DISAGREES, agreement=(Agreement("matmul", float("nan"), 1e-3),))
    data = as_data(proof, "en")
    assert data["agreement"] == [{"operation": "matmul", "error": None, "tolerance": 1e-3, "holds": False}]
    assert json.loads(json.dumps(data, allow_nan=False)) == data


class View:
    """Keeps what it is told to show."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def start(self, label: str) -> None:
        self.told.append(("start", label))

    def advance(self, done: float, total: float, detail: str) -> None:
        self.told.append((done, total, detail))

    def end(self, note: str = "") -> None:
        self.told.append(("end", note))

    def line(self, text: str) -> None:
        self.told.append(("line", text))

    def close(self) -> None:
        self.told.append(("close",))


def test_events_become_progress() -> None:
    view = View()
    training = Training(view, "en")
    training.show(Event("import"))
    training.show(Event("train", "/GPU:0", 2, 3, 10, 75, 0.2, 0.9))
    assert view.told == [
        ("start", "importing TensorFlow"),
        (85, 225, "epoch 2/3, accuracy 0.900"),
    ]
