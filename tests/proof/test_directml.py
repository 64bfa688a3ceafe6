"""DirectML: what is listed, what counts as proven, and that the CPU in its place is a failure."""

from __future__ import annotations

import importlib
import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from uv import find_uv_bin

from trueup.proof.child.course import Stop, listed, tell_devices
from trueup.proof.judge import Told, judge
from trueup.proof.model import Outcome
from trueup.proof.train import prove
from trueup.proof.watch import Ending

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.proof.model import Expected

ON_GPU = ("Conv2D on GPU:0", "MatMul on GPU:0")


def told(kernels: tuple[str, ...], variables: tuple[str, ...] = ("GPU:0",)) -> Told:
    """Return what a course says that went to its end on a plugin's device."""
    answers: list[dict[str, Any]] = [
        {"event": "devices", "gpus": ["/physical_device:GPU:0"], "build": {"cuda": "False"}, "hidden": None},
        {"event": "placement", "variables": variables, "results": variables, "kernels": kernels},
        *({"event": "epoch", "device": "/GPU:0", "epoch": n, "seconds": 2.0} for n in (1, 2, 3)),
        {"event": "accuracy", "accuracy": 0.99},
        {"event": "agreement", "operation": "conv2d", "error": 1e-6, "tolerance": 1e-3},
        {"event": "epoch", "device": "/CPU:0", "epoch": 1, "seconds": 3.0},
        {"event": "done"},
    ]
    heard = Told()
    for answer in answers:
        heard.add(answer)
    return heard


@pytest.mark.parametrize(
    ("kernels", "variables", "outcome", "status"),
    [
        (ON_GPU, ("GPU:0",), Outcome.PROVEN, 0),
        (("Conv2D on CPU:0", "MatMul on GPU:0"), ("GPU:0",), Outcome.CPU_FALLBACK, 4),
        (ON_GPU, ("CPU:0",), Outcome.CPU_FALLBACK, 4),
        ((), (), Outcome.CPU_FALLBACK, 4),
    ],
)
def test_a_plugin_s_device_is_judged_like_any_gpu(
    kernels: tuple[str, ...], variables: tuple[str, ...], outcome: Outcome, status: int
) -> None:
    proof = judge(told(kernels, variables), Ending(0, "compare", 9.0), "directml", "tensorflow", "drawn")
    assert (proof.outcome, proof.exit_status) == (outcome, status)


class Network:
    """A framework that lists a CUDA card and a DirectML one."""

    CPU, GPU = "/CPU:0", "/GPU:0"

    def gpus(self) -> list[str]:
        return ["CUDA card"]

    def directml(self) -> list[str]:
        return ["DirectX card"]


@pytest.mark.parametrize(
    ("expected", "found"), [("gpu", ["CUDA card"]), ("directml", ["DirectX card"]), ("cpu", [])]
)
def test_each_announcement_has_its_own_list(expected: Expected, found: list[str]) -> None:
    assert listed(Network(), expected) == found


def test_no_card_for_directml_ends_the_course() -> None:
    class Bare(Network):
        def directml(self) -> list[str]:
            return []

        def build(self) -> dict[str, str]:
            return {}

    channel: Any = SimpleNamespace(say=lambda *_, **__: None)
    with pytest.raises(Stop) as stopped:
        tell_devices(channel, Bare(), "directml")
    assert stopped.value.kind == "no-gpu"


@pytest.fixture
def torch_adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the adapter of PyTorch over a PyTorch that only names devices."""
    torch: Any = ModuleType("torch")
    torch.nn = ModuleType("torch.nn")
    torch.device = lambda name: SimpleNamespace(type=name.partition(":")[0], index=0)
    for name, module in (("numpy", ModuleType("numpy")), ("torch", torch), ("torch.nn", torch.nn)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "trueup.proof.child.torch_", raising=False)
    adapter = importlib.import_module("trueup.proof.child.torch_")
    monkeypatch.delitem(sys.modules, "trueup.proof.child.torch_")
    return adapter


def test_torch_directml_gives_its_cards_and_its_device(
    torch_adapter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    network = torch_adapter.Network(1, 2)
    assert network.directml() == []
    directml: Any = ModuleType("torch_directml")
    directml.__spec__ = SimpleNamespace(name="torch_directml")
    directml.device = lambda: SimpleNamespace(type="privateuseone", index=0)
    directml.device_count = lambda: 2
    directml.device_name = lambda number: f"AMD Radeon {number}"
    monkeypatch.setitem(sys.modules, "torch_directml", directml)
    assert network.directml() == ["AMD Radeon 0", "AMD Radeon 1"]
    assert torch_adapter._short(network._gpu()) == "GPU:0"
    assert torch_adapter._short(SimpleNamespace(type="cpu", index=None)) == "CPU:0"
    network._where = network._gpu()
    assert network.peak_mb("/GPU:0") is None


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.skipif(sys.platform == "win32", reason="a PC with Windows may have a card for it")
def test_the_real_plugin_without_a_card_is_a_fallback(tmp_path: Path) -> None:
    asked = [find_uv_bin(), "python", "find", "--no-python-downloads", "3.10"]
    python = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not python:
        pytest.skip("the plugin's newest Python is 3.10, and there is none here")
    env = tmp_path / "env"
    wanted = ("tensorflow-cpu==2.10.0", "tensorflow-directml-plugin==0.4.0.dev230202")
    caps = ("numpy<1.24", "protobuf<3.21", "setuptools<81")
    subprocess.run([find_uv_bin(), "venv", "-q", "--no-project", "-p", python, str(env)], check=True)
    install = [find_uv_bin(), "pip", "install", "-q", "-p", str(env / "bin" / "python"), *wanted, *caps]
    subprocess.run(install, check=True)
    proof = prove(env / "bin" / "python", "directml")
    assert (proof.outcome, proof.exit_status) == (Outcome.CPU_FALLBACK, 4), proof.last_lines
    assert "DirectML" in "".join(proof.last_lines)
