"""A check-up of this machine looks into the binaries: wheels that are there and still not found."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from trueup.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or not shutil.which("gcc"), reason="needs gcc on Linux"
)
PARTS = {
    "cuda_runtime": "libcudart.so.12",
    "cublas": "libcublas.so.12",
    "cufft": "libcufft.so.11",
    "cusolver": "libcusolver.so.11",
    "cusparse": "libcusparse.so.12",
    "cudnn": "libcudnn.so.9",
}
CUDNN = (
    "",
    "_graph",
    "_ops",
    "_cnn",
    "_adv",
    "_engines_precompiled",
    "_engines_runtime_compiled",
    "_heuristic",
)
INFO = "x = {'is_cuda_build': True, 'cuda_version': '12.5.1', 'cudnn_version': '9'}\n"


def library(target: Path, *flags: str) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    command = ["gcc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o", str(target), *flags]
    subprocess.run(command, check=True)


def environment(folder: Path, *without: str) -> Path:
    """Make an environment whose TensorFlow looks into the folders of all wheels but some."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python3.*/site-packages")
    for part, name in PARTS.items():
        library(site / "nvidia" / part / "lib" / name)
        (site / f"nvidia_{part}_cu12-12.9.1.dist-info").mkdir()
    library(site / "nvidia" / "cublas" / "lib" / "libcublasLt.so.12")
    for part in CUDNN:
        library(site / "nvidia" / "cudnn" / "lib" / f"libcudnn{part}.so.9", "-Wl,-rpath,$ORIGIN")
    (site / "nvidia_cudnn_cu12-12.9.1.dist-info").rename(site / "nvidia_cudnn_cu12-9.3.0.75.dist-info")
    searched = ":".join(f"$ORIGIN/../nvidia/{part}/lib" for part in PARTS if part not in without)
    library(site / "tensorflow" / "libtensorflow_framework.so.2", f"-Wl,--enable-new-dtags,-rpath,{searched}")
    library(site / "tensorflow" / "python" / "_pywrap_tensorflow_internal.so")
    (site / "tensorflow" / "python" / "platform").mkdir()
    (site / "tensorflow" / "python" / "platform" / "build_info.py").write_text(INFO)
    (site / "tensorflow-2.21.0.dist-info").mkdir()
    return folder


def findings(env: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    run(["check", "--json", "--lang", "en", "--env", str(env)])
    return {one["id"]: one["text"] for one in json.loads(capsys.readouterr().out)["findings"]}


def test_a_folder_that_the_release_does_not_look_into(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = findings(environment(tmp_path / "env", "cusolver"), capsys)
    assert found["wheels-not-found-by-framework"].endswith("look into their folders for: libcusolver.so.11")
    assert "cuda-by-wheels" not in found


def test_all_folders_are_looked_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = findings(environment(tmp_path / "env"), capsys)
    assert "cuda-by-wheels" in found
    assert "wheels-not-found-by-framework" not in found


def test_a_hook_finds_what_the_release_does_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = environment(tmp_path / "env", "cusolver")
    (site,) = env.glob("lib/python3.*/site-packages")
    (site / "trueup.pth").write_text("import _trueup_hook\n")
    assert "cuda-by-hook" in findings(env, capsys)


def test_trace_names_the_one_that_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = environment(tmp_path / "env", "cusolver")
    assert run(["trace", "tensorflow", "--json", "--env", str(env)]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert "libcusolver.so.11" in answer["missing"]
    assert "libcufft.so.11" not in answer["missing"]
