"""The real frameworks on Linux with a stand-in driver: the GPU is listed through the hook alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from trueup.setup import hook

pytestmark = [
    pytest.mark.network,
    pytest.mark.slow,
    pytest.mark.skipif(
        not os.environ.get("TRUEUP_LONG") or sys.platform != "linux" or not shutil.which("uv"),
        reason="downloads 3 GB each: set TRUEUP_LONG=1, on Linux, with uv",
    ),
]
CU11 = (
    *("nvidia-cublas-cu11==11.11.3.6", "nvidia-cuda-nvcc-cu11==11.8.89", "nvidia-cuda-runtime-cu11==11.8.89"),
    *("nvidia-cudnn-cu11==8.6.0.163", "nvidia-cufft-cu11==10.9.0.58", "nvidia-curand-cu11==10.3.0.86"),
    *("nvidia-cusolver-cu11==11.4.1.48", "nvidia-cusparse-cu11==11.7.5.86"),
)
ASK = "import tensorflow as tf; print('GPUS', [d.name for d in tf.config.list_physical_devices('GPU')])"
SOURCES = Path(__file__).parents[1] / "wine" / "c"


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("driver")
    for source, library in (("nvcuda.c", "libcuda.so.1"), ("nvml.c", "libnvidia-ml.so.1")):
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / library, SOURCES / source], check=True)
    return folder


@pytest.mark.parametrize(
    ("requirements", "python", "finds_itself"),
    [
        (("tensorflow==2.10.1", "numpy<2", "setuptools<81", *CU11), "3.10", False),
        (("tensorflow==2.12.1", "numpy<2", "setuptools<81", *CU11), "3.11", False),
        (("tensorflow[and-cuda]==2.15.1",), "3.11", True),
        (("tensorflow[and-cuda]==2.16.1",), "3.11", False),
        (("tensorflow[and-cuda]==2.21.0",), "3.11", False),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else None,
)
def test_lists_the_gpu(
    tmp_path: Path, driver: Path, requirements: tuple[str, ...], python: str, finds_itself: bool
) -> None:
    subprocess.run(["uv", "venv", "-q", "--python", python, tmp_path / "env"], check=True)
    interpreter = tmp_path / "env" / "bin" / "python"
    subprocess.run(["uv", "pip", "install", "-q", "--python", interpreter, *requirements], check=True)
    hook.install(next((tmp_path / "env").glob("lib/python*/site-packages")))
    env = os.environ | {"LD_LIBRARY_PATH": str(driver), "NVCUDA_DRIVER": "12080"}
    found = []
    for mode in ("0", "1"):
        done = subprocess.run(
            [interpreter, "-c", ASK],
            env=env | {"TRUEUP_HOOK": mode},
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        found.append("GPUS ['/physical_device:GPU:0']" in done.stdout)
    shutil.rmtree(tmp_path / "env")
    assert found == [finds_itself, True]
