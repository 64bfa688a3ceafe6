"""`check --live` with the real TensorFlow on Linux and a stand-in driver: what it lists, and what is said if it doesn't."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from trueup.setup import hook
from trueup.setup.uv import find

pytestmark = [
    pytest.mark.network,
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("TRUEUP_LONG") or sys.platform != "linux" or not shutil.which("gcc"),
        reason="downloads 3 GB: set TRUEUP_LONG=1, on Linux, with gcc",
    ),
]
SOURCES = Path(__file__).parents[1] / "wine" / "c"
DRIVER = {"NVCUDA_DRIVER": "12080", "NVML_DRIVER": "570.86.15"}


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    for source, library in (("nvcuda.c", "libcuda.so.1"), ("nvml.c", "libnvidia-ml.so.1")):
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / library, SOURCES / source], check=True)
    return folder


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live") / "env"
    uv = find().exe
    subprocess.run([uv, "venv", "-q", "--python", "3.11", folder], check=True)
    install = (uv, "pip", "install", "-q", "--python", str(folder / "bin" / "python"))
    subprocess.run([*install, "tensorflow[and-cuda]==2.21.0"], check=True)
    hook.install(next(folder.glob("lib/python*/site-packages")))
    # the first start writes byte code and reads 3 GB from a cold disk
    subprocess.run([folder / "bin" / "python", "-c", "import tensorflow"], check=True, timeout=900)
    return folder


def check(env: Path, driver: Path, *words: str, **variables: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "trueup", "check", "--json", "--lang", "en", "--env", str(env), *words]
    settings = {"LD_LIBRARY_PATH": str(driver), **DRIVER, **variables}
    done = subprocess.run(command, env=os.environ | settings, capture_output=True, text=True, check=False)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def by_id(answer: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {finding["id"]: finding for finding in answer["findings"]}


def test_the_real_framework_lists_the_card(env: Path, driver: Path) -> None:
    answer = check(env, driver, "--live")
    assert answer["outcome"] == "aligned"
    assert "GPU:0" in by_id(answer)["live-listed"]["text"]


def test_files_that_promise_and_a_driver_that_fails(env: Path, driver: Path) -> None:
    answer = check(env, driver, "--live", NVCUDA_INIT="100")
    assert answer["cause"]["id"] == "live-none"
    assert any("CUDA_ERROR_NO_DEVICE" in line for line in answer["cause"]["evidence"])


def test_a_library_that_was_taken_away(env: Path, driver: Path) -> None:
    (library,) = env.glob("lib/python*/site-packages/nvidia/cufft/lib/libcufft.so.11")
    library.rename(library.with_suffix(".away"))
    try:
        quiet, live = check(env, driver), check(env, driver, "--live")
    finally:
        library.with_suffix(".away").rename(library)
    for answer in (quiet, live):
        assert answer["cause"]["id"] == "cuda-library-missing"
        assert "libcufft.so.11" in answer["cause"]["text"]
    assert "live-none-as-told" in by_id(live)
