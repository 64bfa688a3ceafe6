"""The same line, the facts of recorded machines: the machine decides."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from trueup.diagnose import diagnose
from trueup.diagnose.case import read_given
from trueup.diagnose.surveyed import stated
from trueup.machine.survey import read_survey

if TYPE_CHECKING:
    from trueup.machine.host import Host

TESTS = Path(__file__).parents[1]
MACHINES = TESTS / "check" / "machines"
CUDART = "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found"
CUDNN = "Could not load dynamic library 'cudnn64_8.dll'; dlerror: cudnn64_8.dll not found"
NO_KERNEL = "CUDA error: no kernel image is available for execution on the device"
PROVIDERS = "['AzureExecutionProvider', 'CPUExecutionProvider']"


def world(name: str) -> Host:
    """Return a recorded machine as the tests of `check` have it."""
    spec = importlib.util.spec_from_file_location("recorded_world", TESTS / "machine" / "world.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    host: Host = module.load(MACHINES / name / "machine.json")
    return host


def recorded(name: str) -> dict[str, str]:
    return stated(read_survey(world(name)))


@pytest.mark.parametrize(
    ("machine", "line", "cause"),
    [
        ("cuda-toolkit-missing--windows-tf210-alone", CUDART, "cuda-toolkit-missing"),
        ("cuda-version-mismatch--windows-toolkit-12-with-tf210", CUDART, "cuda-version-mismatch"),
        ("cuda-version-mismatch--windows-toolkit-12-with-tf210", "[]", "cuda-version-mismatch"),
        ("gpu-not-nvidia--linux-amd", "GPU not detected", "gpu-not-nvidia"),
        ("cuda-libs-not-on-path--windows-toolkit-not-on-path", CUDART, "cuda-libs-not-on-path"),
        ("tf-windows-gpu-ended-at-2-10--tf215", "[]", "tf-windows-gpu-ended-at-2-10"),
        ("cudnn-missing--windows-toolkit-112", CUDNN, "cudnn-missing"),
        ("cudnn-major-mismatch--windows-cudnn-9", CUDNN, "cudnn-major-mismatch"),
        ("gpu-arch-newer-than-build--windows-rtx5090-torch-cu124", NO_KERNEL, "gpu-arch-newer-than-build"),
        ("gpu-arch-too-old--linux-k80-tf219", NO_KERNEL, "gpu-arch-too-old"),
        ("onnxruntime-cpu-and-gpu-both--windows", PROVIDERS, "onnxruntime-cpu-and-gpu-both"),
        ("store-python-dll-search--windows-tf210", CUDART, "store-python-dll-search"),
        ("gpu-not-nvidia--linux-amd", "torch.cuda.is_available() False", "gpu-not-nvidia"),
    ],
)
def test_the_machine_decides(machine: str, line: str, cause: str) -> None:
    facts = recorded(machine)
    found = diagnose(line, facts, facts["os"], facts.keys()).causes
    assert found, facts
    assert found[0].cause == cause, (facts, [(one.cause, one.confidence) for one in found])


@pytest.mark.parametrize("machine", sorted(folder.name for folder in MACHINES.iterdir()))
def test_facts_are_read_back(machine: str) -> None:
    facts = recorded(machine)
    case = read_given(facts, facts.get("os", "unknown"))
    assert (facts.get("driver", "none") != "none") == ("driver" in case.versions)
    assert all(isinstance(value, str) and value for value in facts.values())


@pytest.mark.parametrize(
    "machine", ["ready--windows-rtx3060", "aligned--windows-tf210-hook", "ready--linux-a100"]
)
def test_a_good_machine_with_a_harmless_line_is_harmless(machine: str) -> None:
    facts = recorded(machine)
    found = diagnose("TF-TRT Warning: Could not find TensorRT", facts, facts["os"], facts.keys()).causes
    assert found[0].cause == "harmless-warnings-only", facts
