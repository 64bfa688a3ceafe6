"""NVIDIA's wheels into an environment of Windows Python by uv.exe, and out again to the byte."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, windows

KEEP = Path(__file__).parents[1] / "keep"
sys.path[:0] = [str(KEEP), str(KEEP.parent / "machine")]
from cuda_wheelhouse import SET, published, put, serving, tree  # noqa: E402  # lies beside the tests of keep

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

pytestmark = pytest.mark.wine
SOURCE = windows(Path(__file__).parents[2] / "src")
PROBE = Path(__file__).with_name("cuda_use_probe.py")
WANTED = {**SET, "nvidia-cudnn-cu11": "8.9.5.29"}
BUILD_INFO = "build_info = {'is_cuda_build': True, 'cuda_version': '64_112', 'cudnn_version': '64_8'}\n"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("index"), published(nvidia_cudnn_cu11="8.9.5.29")) as address:
        yield address


@pytest.fixture
def env(wine: Wine, tmp_path: Path) -> Path:
    """Return an environment with what tells of TensorFlow 2.10, a wheel of another line, and one too new."""
    root = tmp_path / "环境 (x)" / ".venv"
    done = wine.py("-m", "venv", "--without-pip", windows(root), timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    site = root / "Lib" / "site-packages"
    info = site / "tensorflow_gpu-2.10.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tensorflow-gpu\nVersion: 2.10.1\n")
    (info / "RECORD").write_text("")
    told = site / "tensorflow" / "python" / "platform" / "build_info.py"
    told.parent.mkdir(parents=True)
    told.write_text(BUILD_INFO)
    put(site, "nvidia-cublas-cu12", "12.4.5.8")
    put(site, "nvidia-cudnn-cu11", "8.6.0.163")
    return root


def trueup(wine: Wine, home: Path, index: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    place = windows(home)
    mine = {
        "PYTHONPATH": SOURCE, "PYTHONUTF8": "1", "LOCALAPPDATA": place, "WIN_PD_OVERRIDE_LOCAL_APPDATA": place,
        "UV_DEFAULT_INDEX": index, "UV_CACHE_DIR": windows(home / "cache"), "UV_NO_CONFIG": "1",
        "UV_HTTP_RETRIES": "0", "PIP_CONFIG_FILE": os.devnull,
    }  # fmt: skip
    return wine.py(PROBE, *words, timeout=600, **mine)


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_wheels_are_brought_and_taken_back_to_the_byte(
    wine: Wine, index: str, env: Path, tmp_path: Path
) -> None:
    home, before = tmp_path / "家", tree(env)
    home.mkdir()
    planned = answer(trueup(wine, home, index, "cuda", "use", "11.8", "--env", env, "--dry-run", "--json"))
    assert (planned["outcome"], planned["source"]) == ("planned", "wheels")
    assert {one["name"]: one["version"] for one in planned["wheels"]} == WANTED
    assert {one["name"] for one in planned["aside"]} == {"nvidia-cublas-cu12", "nvidia-cudnn-cu11"}
    assert tree(env) == before

    done = answer(trueup(wine, home, index, "cuda", "use", "11.8", "--env", env, "--yes", "--json"))
    assert done["outcome"] == "done"
    site = env / "Lib" / "site-packages"
    assert (site / "nvidia/cublas/lib/libcublas.so").read_text() == "nvidia-cublas-cu11 11.11.3.6"
    assert (site / "trueup.pth").is_file()
    assert not (env / "trueup-cuda-new").exists()
    again = answer(trueup(wine, home, index, "cuda", "use", "11.8", "--env", env, "--yes", "--json"))
    assert again["outcome"] == "already"

    undone = trueup(wine, home, index, "undo", "--yes", "--lang", "zh")
    assert undone.returncode == 0, undone.stdout + undone.stderr
    assert tree(env) == before


def test_what_the_framework_cannot_take_is_refused(wine: Wine, index: str, env: Path, tmp_path: Path) -> None:
    before = tree(env)
    done = trueup(wine, tmp_path, index, "cuda", "use", "12.4", "--env", env, "--yes")
    assert done.returncode == 2
    assert "trueup cuda use 11.8" in done.stderr
    assert tree(env) == before
