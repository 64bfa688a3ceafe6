"""Builds on Windows Python with uv.exe from a loopback index: locks, moves, launchers, a second run."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from winehost import Wine, windows

SETUP = Path(__file__).parents[1] / "setup"
sys.path.insert(0, str(SETUP))
from fake_index import serving  # noqa: E402  # lies beside the tests of setup

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.wine
PATHS = ";".join(windows(path) for path in (Path(__file__).parents[2] / "src", SETUP))


@pytest.fixture(scope="module")
def index() -> Iterator[str]:
    with serving() as address:
        yield address


def child(wine: Wine, index: str, folder: Path, mood: str, *arguments: str | Path) -> Any:
    settings = {
        "UV_DEFAULT_INDEX": f"{index}/{mood}/simple",
        "UV_CACHE_DIR": windows(folder / "cache"),
        "UV_NO_CONFIG": "1",
        "UV_HTTP_RETRIES": "0",
        "PIP_CONFIG_FILE": os.devnull,
    }
    return wine.py(*arguments, timeout=240, PYTHONPATH=PATHS, PYTHONIOENCODING="utf-8", **settings)


def inspected(wine: Wine, env_dir: Path) -> str:
    code = f"from trueup import setup; s = setup.inspect({windows(env_dir)!r}); print(s.name, s.changes)"
    return wine.out("-c", code, PYTHONPATH=PATHS, PYTHONIOENCODING="utf-8")


def test_build_ends_whole_and_its_launchers_run(wine: Wine, index: str, tmp_path: Path) -> None:
    env_dir = tmp_path / "my 环境" / ".venv"
    done = child(wine, index, tmp_path, "good", SETUP / "build_child.py", env_dir)
    assert done.returncode == 0, done.stdout + done.stderr
    assert inspected(wine, env_dir) == "complete ()"
    assert [path.name for path in env_dir.parent.iterdir()] == [".venv"]
    assert json.loads((env_dir / "trueup.json").read_text("utf-8"))["schema"] == "trueup.environment/1"
    assert (env_dir / "Lib" / "site-packages" / "trueup.pth").is_file()  # VC++ runtime: always on Windows
    shown = wine.run(
        env_dir / "Scripts" / "python.exe", "-c", "import foo, sys; print(foo.version, sys.prefix)"
    )
    assert shown.stdout.startswith("1.0 ")
    again = child(wine, index, tmp_path, "500", SETUP / "build_child.py", env_dir)
    assert again.returncode == 0


def test_bad_mirror_leaves_a_build_that_goes_on(wine: Wine, index: str, tmp_path: Path) -> None:
    env_dir = tmp_path / ".venv"
    failed = child(wine, index, tmp_path, "wheel-portal", SETUP / "build_child.py", env_dir)
    assert failed.returncode == 2
    assert "broken-file" in failed.stdout
    assert not env_dir.exists()
    assert inspected(wine, env_dir) == "missing ()"  # it broke before the lock: nothing to go on with
    assert child(wine, index, tmp_path, "good", SETUP / "build_child.py", env_dir).returncode == 0
    assert inspected(wine, env_dir) == "complete ()"


def test_second_run_on_one_environment_is_refused(wine: Wine, tmp_path: Path) -> None:
    lock_file = windows(tmp_path / ".venv.trueup-lock")
    code = f"""
import subprocess, sys
from pathlib import Path
from trueup.setup.errors import SetupError
from trueup.setup.exclusive import exclusive
lock, env = Path({lock_file!r}), Path("env")
if len(sys.argv) == 1:
    with exclusive(lock, env):
        print(subprocess.run([sys.executable, __file__, "second"], capture_output=True, text=True).stdout.strip())
    print(lock.exists())
    subprocess.run([sys.executable, __file__, "dies"])
try:
    with exclusive(lock, env):
        if sys.argv[1:] == ["dies"]:
            import os
            os._exit(1)
        print("held")
except SetupError as error:
    print(error.kind, error.message.params["pid"] != "?")
"""
    script = tmp_path / "lock.py"
    script.write_text(code, "utf-8")
    assert wine.out(script, PYTHONPATH=PATHS).split() == ["busy", "True", "False", "held"]
