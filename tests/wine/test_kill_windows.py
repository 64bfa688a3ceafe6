"""Kills builds on Windows Python at random moments: what is there then never looks whole, and the next run ends it."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

import pytest
from test_setup_windows import PATHS, SETUP, child, index
from winehost import Wine, windows

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

pytestmark = [pytest.mark.wine, pytest.mark.slow]
__all__ = ["index"]
KILLS = 20 if os.environ.get("TRUEUP_LONG") else 4
STATE = """
import sys
from pathlib import Path
from trueup import setup
from trueup.setup import fingerprint
state = setup.inspect(Path(sys.argv[1]))
whole = state.name == "complete" and fingerprint.take(Path(sys.argv[1])).json() == state.environment.record.fingerprint
print(state.name, whole)
"""


def begin(wine: Wine, index: str, folder: Path, env_dir: Path) -> subprocess.Popen[str]:
    """Start a build from a slow index; the process here is the Windows process."""
    settings = {
        "UV_DEFAULT_INDEX": f"{index}/slow/simple",
        "UV_CACHE_DIR": windows(folder / "cache"),
        "UV_NO_CONFIG": "1",
        "UV_HTTP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
        "PYTHONPATH": PATHS,
        "PYTHONIOENCODING": "utf-8",
    }
    return wine.begin(wine.python, SETUP / "build_child.py", env_dir, **settings)


def state(wine: Wine, env_dir: Path) -> str:
    return wine.out("-c", STATE, env_dir, PYTHONPATH=PATHS, PYTHONIOENCODING="utf-8")


def test_killed_builds_end_in_a_whole_environment(wine: Wine, index: str, tmp_path: Path) -> None:
    began = time.monotonic()
    first = begin(wine, index, tmp_path / "first", tmp_path / "first" / ".venv")
    told = first.communicate(timeout=600)
    assert first.returncode == 0, told
    whole = time.monotonic() - began
    moments = random.Random(20261130)  # noqa: S311  # repeatable, not secret
    seen = []
    for number in range(KILLS):
        folder = tmp_path / f"env {number} 环境"
        env_dir = folder / ".venv"
        killed = begin(wine, index, folder, env_dir)
        time.sleep(moments.uniform(0.1, whole))
        killed.kill()
        killed.wait(timeout=60)  # a uv that outlives it may hold the pipes for longer
        for stream in (killed.stdin, killed.stdout, killed.stderr):
            if stream is not None:
                stream.close()
        seen.append(state(wine, env_dir))
        assert seen[-1] in {"missing False", "building False", "complete True"}
        again = child(wine, index, folder, "good", SETUP / "build_child.py", env_dir)
        assert again.returncode == 0, again.stdout + again.stderr
        assert state(wine, env_dir) == "complete True"
        assert sorted(path.name for path in folder.iterdir()) == [".venv", "cache"]
        shown = wine.run(env_dir / "Scripts" / "python.exe", "-c", "import foo, pip; print(foo.version)")
        assert shown.stdout.strip() == "1.0", shown.stderr
    assert "building False" in seen
