"""Windows Python under Wine, as `.ci/wine.sh` installs it; without it these tests are skipped."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from winehost import MINGW, PREFIX, VARIABLES, Wine, alone, start

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="session")
def wine() -> Iterator[Wine]:
    """Return a Wine that runs, for this session alone."""
    folder = next((p.parent for p in PREFIX.glob("drive_c/Python3*/complete")), None)
    if not shutil.which("wine") or not shutil.which(MINGW) or folder is None:
        pytest.skip("no Windows Python under Wine here: `.ci/wine.sh` installs it")
    with alone():
        start()
        yield Wine(PREFIX, f"C:\\{folder.name}\\python.exe", VARIABLES)
