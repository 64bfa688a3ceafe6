"""`self uninstall` on Windows, which does not let a running program go: a script of `cmd` ends it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from winehost import Wine, windows

if TYPE_CHECKING:
    import subprocess

pytestmark = pytest.mark.wine
PROBE = Path(__file__).with_name("uninstall_probe.py")
SOURCE = windows(PROBE.parents[2] / "src")
PATIENCE_S = 180


@pytest.fixture(params=["trueup", "余 & (1) ^!"])
def data(wine: Wine, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return the data folder of a trueup as install.ps1 makes it."""
    data = tmp_path / str(request.param) / "trueup"
    tool, launcher = data / "tool-1", data / "bin" / "trueup.cmd"
    made = wine.py("-m", "venv", "--without-pip", "--system-site-packages", tool / "env")
    assert made.returncode == 0, made.stderr
    (data / "facts").mkdir()
    (data / "facts" / "own.json").write_text("{}")
    (data / "Cache").mkdir()
    launcher.parent.mkdir()
    launcher.write_text("@rem trueup's launcher\r\n", "utf-8")
    lines = [f"tool={windows(tool)}", f"launcher={windows(launcher)}"]
    lines += [f"made={windows(folder)}" for folder in (launcher.parent, data)]
    (data / "installed").write_text("\n".join(lines), "utf-8")
    return data


def ended(data: Path) -> bool:
    """Wait for the script, which goes on after the program."""
    until = time.monotonic() + PATIENCE_S
    while data.exists() and time.monotonic() < until:
        time.sleep(0.5)
    return not data.exists()


def uninstall(wine: Wine, data: Path, scratch: Path) -> subprocess.CompletedProcess[str]:
    python = windows(data / "tool-1" / "env" / "Scripts" / "python.exe")
    scratch.mkdir()
    return wine.run(
        python, PROBE, data, PYTHONPATH=SOURCE, PYTHONUTF8="1", TEMP=windows(scratch), TMP=windows(scratch)
    )


def test_nothing_is_left_of_the_program(wine: Wine, data: Path, tmp_path: Path) -> None:
    scratch = tmp_path / "临时 &(x)"
    done = uninstall(wine, data, scratch)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ended(data), sorted(data.rglob("*"))[:5]
    assert list(data.parent.iterdir()) == []
    assert list(scratch.iterdir()) == []


def test_what_the_user_put_there_and_others_launchers_stay(wine: Wine, data: Path, tmp_path: Path) -> None:
    mine = data / "bin" / "trueup.cmd"
    mine.write_text("@echo mine\r\n", "utf-8")
    assert uninstall(wine, data, tmp_path / "tmp").returncode == 0
    until = time.monotonic() + PATIENCE_S
    while any((tmp_path / "tmp").iterdir()) and time.monotonic() < until:
        time.sleep(0.5)
    assert sorted(data.rglob("*")) == [data / "bin", mine]
