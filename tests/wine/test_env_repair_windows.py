"""A venv of Windows Python, mended in place with uv.exe from a folder of wheels, and taken back to the byte."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, windows

sys.path.insert(0, str(Path(__file__).parents[1] / "keep"))
from conda_packages import wheel  # lies beside the tests of keep

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.wine
SOURCE = windows(Path(__file__).parents[2] / "src")


def trueup(wine: Wine, home: Path, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    place = windows(home)
    mine = {
        "PYTHONPATH": SOURCE, "PYTHONUTF8": "1", "LOCALAPPDATA": place, "WIN_PD_OVERRIDE_LOCAL_APPDATA": place,
        "UV_CACHE_DIR": windows(home / "cache"), "UV_NO_CONFIG": "1", "UV_OFFLINE": "1",
        "UV_FIND_LINKS": windows(home / "wheels"), "PIP_CONFIG_FILE": os.devnull,
    }  # fmt: skip
    return wine.py("-m", "trueup", *words, timeout=600, **{**mine, **more})


def answer(done: subprocess.CompletedProcess[str], status: int = 0) -> dict[str, Any]:
    assert done.returncode == status, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def tree(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, without what Python writes while it is used."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "家 (x)"
    (folder / "wheels").mkdir(parents=True)
    wheel(folder / "wheels", "thing", "1.0", {"thing.py": "NAME = 'thing'\n", "thing.dll": "MZ thing"})
    return folder


@pytest.fixture
def env(wine: Wine, home: Path) -> Path:
    """Return an environment with a package whose DLL a scanner took, and the rest of a broken uninstallation."""
    root = home / "深度 学习"
    done = wine.py("-m", "venv", "--without-pip", windows(root), timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    site = root / "Lib" / "site-packages"
    info = site / "thing-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n")
    (info / "RECORD").write_text(
        "thing.py,,\nthing.dll,,\nthing-1.0.dist-info/METADATA,,\nthing-1.0.dist-info/RECORD,,\n"
    )
    (site / "thing.py").write_text("NAME = 'thing'\n")
    (site / "~orch").mkdir()
    (site / "~orch" / "rest.txt").write_text("rest")
    return root


def test_it_is_mended_and_taken_back_to_the_byte(wine: Wine, home: Path, env: Path) -> None:
    before = tree(env)
    shown = answer(trueup(wine, home, "env", "repair", env, "--json"), 1)
    assert [(one["name"], one["files"]) for one in shown["missing"]] == [("thing", ["thing.dll"])]
    assert tree(env) == before

    done = answer(trueup(wine, home, "env", "repair", env, "--apply", "--yes", "--json"))
    assert (done["mode"], done["sound"]) == ("repaired", True)
    assert (env / "Lib" / "site-packages" / "thing.dll").read_text() == "MZ thing"
    assert not (env / "Lib" / "site-packages" / "~orch").exists()

    undone = trueup(wine, home, "undo", "--yes", "--lang", "zh")
    assert undone.returncode == 0, undone.stdout + undone.stderr
    assert "修复之前" in undone.stdout
    assert tree(env) == before
    assert not (home / ".trueup-before").exists()


def test_a_failure_brings_it_back(wine: Wine, home: Path, env: Path) -> None:
    before = tree(env)
    for path in (home / "wheels").iterdir():
        path.unlink()
    done = trueup(wine, home, "env", "repair", env, "--apply", "--yes")
    assert done.returncode == 2, done.stdout + done.stderr
    assert tree(env) == before
    assert not (home / ".trueup-before").exists()


def test_while_its_python_runs_nothing_is_changed(wine: Wine, home: Path, env: Path) -> None:
    before = tree(env)
    user = wine.begin(windows(env / "Scripts" / "python.exe"), "-c", "input('up')")
    try:
        assert user.stdout is not None
        assert user.stdout.read(2) == "up"
        done = trueup(wine, home, "env", "repair", env, "--apply", "--yes")
        assert done.returncode == 2, done.stdout + done.stderr
        assert "is in use by" in done.stderr  # Wine does not tell psutil the name
    finally:
        user.communicate("\n")
    assert tree(env) == before
