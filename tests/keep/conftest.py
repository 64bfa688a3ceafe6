"""What the tests of this room share. The recorded machines and the closed worlds lie beside other tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from leftovers import Home

from trueup.cli import places
from trueup.keep.clean import find, trash

sys.path[:0] = [str(Path(__file__).parent.parent / name) for name in ("check", "machine")]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Return an empty HOME; nothing outside of the temporary folder is ever a place for a trash."""
    made = Home(tmp_path / "home", tmp_path / "data")
    (made.path / "project").mkdir(parents=True)
    made.data.mkdir()
    for name in (
        "VIRTUAL_ENV",
        "CONDA_PREFIX",
        "PYENV_ROOT",
        "XDG_DATA_HOME",
        "XDG_CACHE_HOME",
        "WORKON_HOME",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("UV_CACHE_DIR", "PIP_CACHE_DIR", "UV_PYTHON_INSTALL_DIR", "CUDA_CACHE_PATH", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(made.path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.chdir(made.path / "project")
    monkeypatch.setattr(places, "data_folder", lambda: made.data)
    monkeypatch.setattr(find, "RECENT_S", 0)  # all is fresh here
    monkeypatch.setattr(trash, "_top", lambda _: tmp_path)
    return made
