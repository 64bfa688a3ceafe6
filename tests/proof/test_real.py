"""The real TensorFlow, the newest for this Python, learns what the proof draws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from uv import find_uv_bin

from trueup.proof.model import Outcome
from trueup.proof.train import prove

pytestmark = [pytest.mark.slow, pytest.mark.network]
TWO_CPUS = Path(__file__).with_name("two_cpus.py")


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an interpreter with the newest tensorflow-cpu."""
    env = tmp_path_factory.mktemp("tensorflow") / "env"
    made = env / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    subprocess.run([find_uv_bin(), "venv", "-q", "--no-project", "-p", sys.executable, env], check=True)
    subprocess.run([find_uv_bin(), "pip", "install", "-q", "-p", made, "tensorflow-cpu"], check=True)
    return made


def test_the_cpu_is_proven(python: Path) -> None:
    proof = prove(python, "cpu")
    assert proof.outcome is Outcome.PROVEN, proof.last_lines
    assert proof.accuracy is not None
    assert proof.accuracy >= 0.95
    assert proof.placement is not None
    assert proof.placement.variables == ("CPU:0",)
    assert "MatMul on CPU:0" in proof.placement.kernels
    assert len(proof.epochs) == 3


def test_an_announced_gpu_that_is_not_there(python: Path) -> None:
    proof = prove(python, "gpu")
    assert (proof.outcome, proof.exit_status) == (Outcome.CPU_FALLBACK, 4)


def test_a_second_device_is_compared_with_the_first(python: Path) -> None:
    proof = prove(python, "gpu", child=TWO_CPUS)
    assert proof.placement is not None, proof.last_lines
    assert proof.placement.variables == ("CPU:1",)
    assert "MatMul on CPU:1" in proof.placement.kernels
    assert [a.operation for a in proof.agreement if a.holds] == ["conv2d", "matmul"]
    assert len(proof.epochs) == 3
    assert proof.speedup is not None
    assert proof.outcome is Outcome.CPU_FALLBACK  # a CPU is never a GPU, whatever it is called
