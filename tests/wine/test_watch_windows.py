"""`trueup watch` on Windows Python: the driver's library in the old place, streams, a program's status."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from winehost import MINGW, Wine, windows

pytestmark = pytest.mark.wine
HERE = Path(__file__).parent
SOURCE = windows(HERE.parents[1] / "src")
PROBE = """\
import os, sys
os.environ["PROGRAMFILES"] = sys.argv[1]
from trueup.cli.main import run
sys.exit(run(sys.argv[2:]))
"""
LIFE = """\
0 *.sm 92
0 *.used 6000
0 *.model 0
0 *.graphics 4242:-
0 *.temperature 70
"""


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file by a name that C's `fopen` can hold."""
    life = tmp_path_factory.mktemp("lives") / "life"
    life.write_text(LIFE)
    return life


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("watch 机")
    library = root / "NVIDIA Corporation" / "NVSMI" / "nvml.dll"
    library.parent.mkdir(parents=True)
    source = str(HERE.parent / "machine" / "fake_nvml.c")
    subprocess.run([MINGW, "-shared", "-s", "-o", str(library), source], check=True)
    (root / "probe.py").write_text(PROBE)
    return root


def watch(wine: Wine, root: Path, life: Path, *words: str) -> subprocess.CompletedProcess[str]:
    settings = {"PYTHONPATH": SOURCE, "PYTHONUTF8": "1", "FAKE_NVML_LIFE": windows(life)}
    return wine.py(root / "probe.py", root, "watch", *words, timeout=240, **settings)


def test_a_sample_as_data(wine: Wine, root: Path, life: Path) -> None:
    done = watch(wine, root, life, "--once", "--json")
    assert done.returncode == 0, done.stderr
    sample = json.loads(done.stdout)
    (gpu,) = sample["gpus"]
    assert (gpu["sm_percent"], gpu["model"], gpu["temperature_c"]) == (92, "WDDM", 70)
    assert "WDDM" in gpu["processes"][0]["memory_mib"]["unknown"]
    assert sample["host"]["cores"] > 0


def test_a_screen_as_text(wine: Wine, root: Path, life: Path) -> None:
    done = watch(wine, root, life, "--once", "--lang", "zh")
    assert "任务管理器" in done.stdout


def test_a_program_keeps_its_status(wine: Wine, root: Path, life: Path) -> None:
    done = watch(
        wine, root, life, "--interval", "0.5", "--", wine.python, "-c", "print('own'); raise SystemExit(7)"
    )
    assert done.returncode == 7
    assert done.stdout.strip() == "own"
    assert "trueup watch:" in done.stderr
