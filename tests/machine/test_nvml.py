"""The real path to NVML, with a library compiled for the purpose in the driver's place."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trueup.machine.cards import Cards, Failure, parse_nvml
from trueup.machine.host.shapes import fits
from trueup.values import Unknown

SOURCE = Path(__file__).parent / "fake_nvml.c"
ASK = "import json; from trueup.machine.nvml import snapshot; print(json.dumps(snapshot()))"
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("gcc") is None, reason="compiles a library for Linux"
)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("nvml")
    for folder, flags in (("new", []), ("old", ["-DOLD"])):
        (root / folder).mkdir()
        target = str(root / folder / "libnvidia-ml.so.1")
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", target, str(SOURCE), *flags], check=True)
    return root


def ask(folder: Path, **settings: int) -> dict[str, Any]:
    env = {**os.environ, "LD_LIBRARY_PATH": str(folder), **{k: str(v) for k, v in settings.items()}}
    done = subprocess.run([sys.executable, "-c", ASK], env=env, capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def cards(raw: dict[str, Any]) -> Cards:
    parsed = parse_nvml(raw)
    assert isinstance(parsed, Cards)
    return parsed


def test_a_working_driver(libraries: Path) -> None:
    found = cards(ask(libraries / "new"))
    assert (found.driver, found.cuda) == ("550.54.15", "12.4")
    assert not isinstance(found.gpus, Unknown)
    (gpu,) = found.gpus
    assert (gpu.name, gpu.capability, gpu.memory_mb) == ("NVIDIA GeForce RTX 3060", "8.6", 12288)
    assert (gpu.pci, gpu.vendor, gpu.mig) == ("10de:2504", "nvidia", False)


def test_a_driver_that_lacks_functions_leaves_unknowns_with_its_reason(libraries: Path) -> None:
    found = cards(ask(libraries / "old"))
    assert found.driver == "550.54.15"
    assert isinstance(found.cuda, Unknown)
    assert found.cuda.why.params["code"] == 13
    assert not isinstance(found.gpus, Unknown)
    assert isinstance(found.gpus[0].capability, Unknown)
    assert found.gpus[0].memory_mb == 12288


def test_two_cards_of_which_one_does_not_tell_its_name(libraries: Path) -> None:
    found = cards(ask(libraries / "new", FAKE_NVML_COUNT=2, FAKE_NVML_NAME=999))
    assert not isinstance(found.gpus, Unknown)
    assert [gpu.name for gpu in found.gpus] == ["NVIDIA GPU", "NVIDIA GPU"]


@pytest.mark.parametrize("slices", [0, 2])
def test_a_partitioned_card(slices: int, libraries: Path) -> None:
    found = cards(ask(libraries / "new", FAKE_NVML_MIG=1, FAKE_NVML_SLICES=slices))
    assert not isinstance(found.gpus, Unknown)
    assert found.gpus[0].mig
    assert found.gpus[0].mig_slices == slices


def test_modes_ids_and_free_memory(libraries: Path) -> None:
    found = cards(ask(libraries / "new", FAKE_NVML_MODE=2))
    assert not isinstance(found.gpus, Unknown)
    gpu = found.gpus[0]
    assert (gpu.compute_mode, gpu.free_mb, gpu.mig_slices) == ("prohibited", 12288, None)
    assert gpu.uuid == "GPU-0001"


def test_the_whole_answer_has_the_shape_of_a_recording(libraries: Path) -> None:
    for folder, mig in (("new", 1), ("old", 0)):
        assert fits("nvml", ask(libraries / folder, FAKE_NVML_MIG=mig, FAKE_NVML_COUNT=2))


def test_a_lost_card_is_neither_absent_nor_fine(libraries: Path) -> None:
    found = cards(ask(libraries / "new", FAKE_NVML_HANDLE=15))
    assert found.failure == Failure(15, "GPU is lost")
    assert not isinstance(found.gpus, Unknown)
    assert isinstance(found.gpus[0].capability, Unknown)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (4, "Insufficient Permissions"),
        (9, "Driver Not Loaded"),
        (18, "RM has detected an NVML/RM version mismatch."),
    ],
)
def test_a_library_that_does_not_start_says_why(libraries: Path, code: int, words: str) -> None:
    assert parse_nvml(ask(libraries / "new", FAKE_NVML_INIT=code)) == Failure(code, words)


def test_no_library_is_told_from_a_broken_one(tmp_path: Path) -> None:
    assert ask(tmp_path)["error"]["code"] == 12


def test_a_whole_check_up_through_the_library(libraries: Path, tmp_path: Path) -> None:
    env = {**os.environ, "LD_LIBRARY_PATH": str(libraries / "new")}
    command = [sys.executable, "-m", "trueup", "check", "--json", "--lang", "en"]
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False)
    answer = json.loads(done.stdout)
    assert "NVIDIA GeForce RTX 3060" in [gpu["name"] for gpu in answer["machine"]["gpus"]]
    assert answer["machine"]["cuda_driver"] == "12.4"
    assert answer["solution"]["status"] == "gpu"
