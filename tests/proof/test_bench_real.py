"""The real TensorFlow, the newest for this Python, is measured, and its largest batch is found."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from uv import find_uv_bin

from trueup.proof.batch import Options, Trials
from trueup.proof.bench import measure
from trueup.proof.model import Outcome

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.network]
MODEL = """
import tensorflow as tf


def build(side):
    inputs = [tf.keras.Input((side, side, 1)), tf.keras.Input((4,), dtype="int32")]
    flat = [tf.keras.layers.Flatten()(inputs[0]), tf.keras.layers.Flatten()(tf.keras.layers.Embedding(9, 3)(inputs[1]))]
    return tf.keras.Model(inputs, tf.keras.layers.Dense(3)(tf.keras.layers.Concatenate()(flat)))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an interpreter with the newest tensorflow-cpu."""
    env = tmp_path_factory.mktemp("tensorflow") / "env"
    made = env / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run([find_uv_bin(), "venv", "-q", "--no-project", "-p", sys.executable, env], check=True)
    subprocess.run([find_uv_bin(), "pip", "install", "-q", "-p", made, "tensorflow-cpu"], check=True)
    return made


def test_a_processor_is_measured(python: Path) -> None:
    bench = measure(python, "cpu", seconds=240)
    assert bench.outcome is Outcome.PROVEN, bench.last_lines
    names = {one.name for one in bench.figures}
    assert {"matmul-fp32", "memory", "conv-forward-fp32", "conv-backward-fp32", "pipeline-memory"} <= names
    assert {one.kind for one in bench.passed_over} <= {"no-device", "no-time"}


def trial(python: Path, batch: int, cap: float, model: str | None = None) -> str:
    found = Trials(python, "cpu", "tensorflow").run(Options(batch, 16, cap, model=model))
    return found.ending if found.ending != "failed" else f"failed: {found.words}"


def test_a_small_batch_fits_and_one_beyond_the_cap_does_not(python: Path) -> None:
    assert trial(python, 4, 4000.0) == "fits"
    assert trial(python, 30_000, 300.0) in {"out-of-memory", "crashed"}


def test_a_model_of_the_users_own(python: Path, tmp_path: Path) -> None:
    file = tmp_path / "my net.py"
    file.write_text(MODEL, "utf-8")
    assert trial(python, 4, 4000.0, f"{file}:build") == "fits"
    assert trial(python, 4, 4000.0, f"{file}:missing").startswith("failed: AttributeError")
