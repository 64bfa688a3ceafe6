"""The Windows readers on Windows Python: registry, PATH, version resources, the driver's library."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from winehost import MINGW, Wine, dll, windows

pytestmark = pytest.mark.wine
HERE = Path(__file__).parent
SOURCE = windows(HERE.parents[1] / "src")
EXPORT = "__declspec(dllexport) int nothing(void) { return 0; }\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a driver's library, CUDA with a version resource, and aliases of the Store."""
    root = tmp_path_factory.mktemp("a windows 机")
    nvml = root / "Program Files" / "NVIDIA Corporation" / "NVSMI" / "nvml.dll"
    nvml.parent.mkdir(parents=True)
    source = str(HERE.parent / "machine" / "fake_nvml.c")
    subprocess.run([MINGW, "-shared", "-s", "-o", str(nvml), source], check=True)
    dll(root / "库" / "bin" / "cudart64_110.dll", EXPORT, version="6,14,11,11020")
    dll(root / "库" / "bin" / "cudnn64_8.dll", EXPORT, version="8,1,1,0")
    stub = root / "Local" / "Microsoft" / "WindowsApps" / "python.exe"
    stub.parent.mkdir(parents=True)
    stub.touch()
    (root / "Python 3.97").mkdir()
    (root / "Python 3.97" / "python.exe").write_bytes(b"MZ")
    return root


def check(wine: Wine, root: Path, *words: str, **fake: str) -> subprocess.CompletedProcess[str]:
    settings = {"PYTHONPATH": SOURCE, "PYTHONUTF8": "1", **fake}
    return wine.py(HERE / "check_probe.py", root, "check", *words, timeout=120, **settings)


@pytest.fixture(scope="module")
def answer(wine: Wine, root: Path) -> dict[str, Any]:
    done = check(wine, root, "--json", "--save", windows(root / "saved.json"))
    assert done.stdout, done.stderr
    data: dict[str, Any] = json.loads(done.stdout)
    return data


def test_the_driver_s_library_is_found_where_old_drivers_put_it(answer: dict[str, Any]) -> None:
    machine = answer["machine"]
    assert (machine["driver"], machine["cuda_driver"]) == ("550.54.15", "12.4")
    assert [gpu["compute_capability"] for gpu in machine["gpus"] if gpu["vendor"] == "nvidia"] == ["8.6"]


def test_the_system_tells_its_build(answer: dict[str, Any]) -> None:
    assert answer["machine"]["os"] == "windows"
    assert answer["machine"]["os_build"].startswith("10.0.")
    assert answer["machine"]["arch"] == "x86_64"


def test_a_registered_python_is_found(answer: dict[str, Any]) -> None:
    found = [one for one in answer["machine"]["pythons"] if one["version"] == "3.97.1"]
    assert [(one["bits"], one["kind"]) for one in found] == [(32, "python.org")]


def test_versions_come_from_the_dll_s_resource(answer: dict[str, Any]) -> None:
    copies = {copy["kind"]: copy for copy in answer["cuda_copies"] if "库" in copy["path"]}
    assert (copies["runtime"]["version"], copies["runtime"]["searched"]) == ("11.2", True)
    assert copies["cudnn"]["version"] == "8.1.1.0"


def test_memory_is_read_and_an_empty_log_is_empty(answer: dict[str, Any]) -> None:
    memory = answer["memory"]
    assert memory["commit_limit"] >= memory["commit_free"] > 0
    assert memory["total"] >= memory["available"] > 0
    assert answer["quarantined"] == []  # Wine's wevtutil answers, and has no events


def test_settings_that_are_not_set_are_null(answer: dict[str, Any]) -> None:
    settings = answer["settings"]
    assert (settings["tdr_delay"], settings["scheduling"]) == (None, None)
    assert settings["path_length"] > 0


@pytest.mark.parametrize(
    ("fake", "cause"),
    [
        ({"FAKE_NVML_INIT": "4"}, "driver-no-permission"),
        ({"FAKE_NVML_INIT": "9"}, "driver-not-running"),
        ({"FAKE_NVML_HANDLE": "15"}, "gpu-lost"),
        ({"FAKE_NVML_MIG": "1"}, "mig-without-slices"),
        ({"FAKE_NVML_MODE": "2"}, "compute-prohibited"),
    ],
)
def test_a_driver_in_trouble(fake: dict[str, str], cause: str, wine: Wine, root: Path) -> None:
    done = check(wine, root, "--json", **fake)
    assert done.stdout, done.stderr
    assert json.loads(done.stdout)["cause"]["id"] == cause


def test_a_stub_of_the_store_is_told(answer: dict[str, Any]) -> None:
    assert "store-stub" in [finding["id"] for finding in answer["findings"]]


def test_what_was_saved_answers_the_same_on_linux(
    answer: dict[str, Any], root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from trueup.cli.main import run

    run(["check", "--json", "--machine", str(root / "saved.json")])
    again = json.loads(capsys.readouterr().out)
    assert [one["id"] for one in again["findings"]] == [one["id"] for one in answer["findings"]]


def test_chinese_words_on_a_western_console(wine: Wine, root: Path) -> None:
    done = wine.py(HERE / "check_probe.py", root, "check", "--lang", "zh", PYTHONPATH=SOURCE)
    assert done.returncode in (0, 1), done.stderr
    assert r"\u663e\u5361    NVIDIA GeForce" in done.stdout  # what cp1252 cannot hold is escaped
    assert "Traceback" not in done.stderr
