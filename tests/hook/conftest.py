"""Libraries compiled for the purpose, and an environment that holds them."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from hookenv import CUDA11, FOLDERS, Env, build, make

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder of NVIDIA's layout: `nvidia/PACKAGE/lib/*.so.*` and `driver/libcuda.so.1`."""
    if sys.platform != "linux" or not shutil.which("gcc"):
        pytest.skip("needs Linux and gcc")
    root = tmp_path_factory.mktemp("libraries")
    build(root / "driver" / "libcuda.so.1")
    for name in CUDA11:
        needs = [root / "nvidia/cublas/lib/libcublasLt.so.11"] if name == "libcublas.so.11" else []
        version = 8600 if "cudnn" in name else None
        build(root / "nvidia" / FOLDERS[name.partition(".")[0]] / "lib" / name, *needs, cudnn=version)
    for name in ("libcudart.so.12", "libcublasLt.so.12"):
        build(root / "nvidia" / FOLDERS[name.partition(".")[0]] / "lib" / name)
    libdevice = root / "nvidia" / "cuda_nvcc" / "nvvm" / "libdevice" / "libdevice.10.bc"
    libdevice.parent.mkdir(parents=True)
    libdevice.write_bytes(b"BC")
    return root


@pytest.fixture
def env(tmp_path: Path, libraries: Path) -> Env:
    return make(tmp_path / "env", libraries)
