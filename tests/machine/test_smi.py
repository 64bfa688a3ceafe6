"""What nvidia-smi printed in the spellings of its history."""

from __future__ import annotations

import pytest
from world import World

from trueup.machine.host import RunResult
from trueup.machine.smi import collect, parse_banner, parse_rows
from trueup.values import Unknown

OLD = """Fri Apr 18 12:26:18 2014
+------------------------------------------------------+
| NVIDIA-SMI 331.62     Driver Version: 331.62         |
|-------------------------------+----------------------+----------------------+
"""
USUAL = "| NVIDIA-SMI 536.67                 Driver Version: 536.67       CUDA Version: 12.2     |\n"
NEW = "| NVIDIA-SMI 610.43.02              KMD Version: 610.43.02     CUDA UMD Version: 13.3     |\n"
NO_CUDA = "| NVIDIA-SMI 470.57.02    Driver Version: 470.57.02    CUDA Version: N/A      |\n"
BUSY = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.\n"


@pytest.mark.parametrize(
    ("text", "driver", "cuda"),
    [
        (OLD, "331.62", None),
        (USUAL, "536.67", "12.2"),
        (NEW, "610.43.02", "13.3"),
        (NO_CUDA, "470.57.02", None),
    ],
)
def test_banners(text: str, driver: str, cuda: str | None) -> None:
    found = parse_banner(RunResult(0, text))
    assert (found.driver, found.cuda, found.failure) == (driver, cuda, None)


def test_a_failure_keeps_its_own_words() -> None:
    assert parse_banner(RunResult(9, BUSY)).failure == BUSY.strip()
    assert parse_banner(RunResult(12, "")).failure == "exit status 12"


def test_rows_and_what_they_do_not_say() -> None:
    first, second = parse_rows("NVIDIA GeForce RTX 3060, 12288, 536.67, 8.6\nQuadro K600, [N/A], 391.35\n")
    assert (first.capability, first.memory_mb) == ("8.6", 12288)
    assert isinstance(second.capability, Unknown)
    assert isinstance(second.memory_mb, Unknown)


def test_a_driver_that_does_not_know_the_capability_is_asked_again() -> None:
    program = "C:\\Windows\\System32\\nvidia-smi.exe"
    ask = "--query-gpu=name,memory.total,driver_version"
    form = "--format=csv,noheader,nounits"
    world = World(
        {
            "platform": "windows",
            "env": {"SYSTEMROOT": "C:\\Windows"},
            "files": {program: ""},
            "runs": {
                program: {"code": 0, "out": USUAL},
                f"{program} {ask},compute_cap {form}": {
                    "code": 2,
                    "out": 'Field "compute_cap" is not a valid field to query.',
                },
                f"{program} {ask} {form}": {"code": 0, "out": "GeForce GTX 1060 6GB, 6144, 456.71\n"},
            },
        }
    )
    found = collect(world)
    assert found is not None
    assert [gpu.name for gpu in found.gpus] == ["GeForce GTX 1060 6GB"]
