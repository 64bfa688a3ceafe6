"""Facts that a report states in its own lines."""

from __future__ import annotations

import pytest

from trueup.diagnose import diagnose
from trueup.diagnose.case import read_given, system_of
from trueup.diagnose.template import canonical_key, stated

FORM = """**System information**
- OS Platform and Distribution (e.g., Linux Ubuntu 16.04): Windows 10 Pro
- TensorFlow installed from (source or binary): binary
- TensorFlow version (use command below): 2.5.0
- Python version: 3.8
- Bazel version (if compiling from source):
- CUDA/cuDNN version: 11.2 / 8.1
- GPU model and memory: RTX 2060 6GB
"""
HEADINGS = """### TensorFlow version

2.9.1

### CUDA/cuDNN version

CUDA 11.2, cuDNN 8.1

### GPU model and memory

_No response_

### Python version
3.10
"""


def test_a_form_of_lines() -> None:
    assert stated(FORM.splitlines()) == {
        "os_version": "Windows 10 Pro",
        "installed_from": "binary",
        "tensorflow": "2.5.0",
        "python": "3.8",
        "cuda/cudnn": "11.2 / 8.1",
        "gpu": "RTX 2060 6GB",
    }


def test_a_form_of_headings() -> None:
    assert stated(HEADINGS.splitlines()) == {
        "tensorflow": "2.9.1",
        "cuda/cudnn": "CUDA 11.2, cuDNN 8.1",
        "python": "3.10",
    }


def test_chinese_words() -> None:
    assert stated(["显卡：GTX 1650", "驱动版本：472.12", "操作系统: win10"]) == {
        "gpu": "GTX 1650",
        "driver": "472.12",
        "os_version": "win10",
    }


def test_names_and_versions_without_a_mark() -> None:
    assert stated(["Tensorflow 2.1", "win10，CUDA11.2，cuDNN8.1.0", "Driver 472.12"]) == {
        "tensorflow": "2.1",
        "cuda": "11.2",
        "cudnn": "8.1.0",
        "driver": "472.12",
    }


@pytest.mark.parametrize(
    "line",
    [
        "GPU: True",
        "cuda: cuda:0",
        "2026-01-02 03:04:05: I tensorflow/core: 2.10",
        r"cuDNN version: C:\tools\cuda\bin\cudnn64_8.dll",
        "TensorFlow version: unknown",
        "python == python",
        "x" * 300 + ": 3",
    ],
)
def test_output_is_no_statement(line: str) -> None:
    facts = stated([line])
    assert "cuda/cudnn" not in facts
    assert not {"tensorflow", "python", "gpu", "cudnn"} & set(facts)


def test_keys_in_any_words() -> None:
    assert canonical_key("GPU model and memory") == "gpu"
    assert canonical_key("cuda_version") == "cuda"
    assert canonical_key("symptom") == "symptom"


@pytest.mark.parametrize(
    ("value", "cuda", "cudnn"),
    [
        ("11.2 / 8.1", ["11.2"], ["8.1"]),
        ("CUDA 10.1 and cuDNN 7.6", ["10.1"], ["7.6"]),
        ("cudnn 8.9", [], ["8.9"]),
        ("11.8", ["11.8"], []),
    ],
)
def test_two_in_one(value: str, cuda: list[str], cudnn: list[str]) -> None:
    versions = read_given({"CUDA/cuDNN version": value}, "linux").versions
    assert [str(one) for one in versions.get("cuda", ())] == cuda
    assert [str(one) for one in versions.get("cudnn", ())] == cudnn


@pytest.mark.parametrize(
    ("words", "system"),
    [
        ("Windows 10 64 bit", "windows-native"),
        ("windows", "windows-native"),
        ("Windows 11, WSL2 Ubuntu", "wsl2"),
        ("Linux Ubuntu 22.04", "linux"),
        ("", "unknown"),
        ("my computer", "unknown"),
    ],
)
def test_systems_in_words(words: str, system: str) -> None:
    assert system_of(words) == system


def test_what_the_report_states_decides() -> None:
    line = "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found"
    told = {
        version: diagnose(f"TensorFlow version: {version}\nCUDA version: 11.2\n{line}", {}, "windows-native")
        .causes[0]
        .cause
        for version in ("2.9", "2.15")
    }
    assert told == {"2.9": "cuda-libs-not-on-path", "2.15": "tf-windows-gpu-ended-at-2-10"}


def test_what_is_given_goes_before_what_is_printed() -> None:
    line = "CUDA version: 10.0\nCould not load dynamic library 'cudart64_110.dll'"
    found = diagnose(line, {"tensorflow": "2.9", "cuda": "11.2"}, "windows-native").causes
    assert found[0].cause == "cuda-libs-not-on-path"
