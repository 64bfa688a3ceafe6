"""Windows Python under Wine, as `.ci/wine.sh` installs it; without it these tests are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from subprocess import DEVNULL

import pytest
from winehost import MINGW, ROOT, Wine


@pytest.fixture(scope="session")
def wine() -> Wine:
    """Return a Wine that runs. Its server is started with no pipe: it would keep it open for ever."""
    prefix = ROOT / "prefix"
    folder = next((p.parent for p in prefix.glob("drive_c/Python3*/complete")), None)
    if not shutil.which("wine") or not shutil.which(MINGW) or folder is None:
        pytest.skip("no Windows Python under Wine here: `.ci/wine.sh` installs it")
    variables = {"WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
    env = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | variables
    for command in (["wineserver", "-p300"], ["wine", "cmd", "/c", "exit"]):
        subprocess.run(
            command, env=env, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, check=False, timeout=120
        )
    return Wine(prefix, f"C:\\{folder.name}\\python.exe", variables)
