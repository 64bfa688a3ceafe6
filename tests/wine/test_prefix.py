"""What a run that was ended in the middle leaves in Wine's prefix is gone when the next one begins."""

from __future__ import annotations

import pytest
from winehost import CLEAN, Wine, restore, start, stop

pytestmark = pytest.mark.wine
KEY = r"HKCU\Software\Python\PythonCore\3.97-32"
LEFT = (
    "Program Files/NVIDIA Corporation/NVSMI/nvml.dll",
    "windows/system32/nvcuda.dll",
    "users/me/lab/x.py",
)


def test_what_was_left_behind_is_taken_away(wine: Wine) -> None:
    if not CLEAN.is_dir():
        pytest.skip("this prefix is older than the list of its files: run `.ci/wine.sh` again")
    drive = wine.path("C:\\")
    for name in LEFT:
        (drive / name).parent.mkdir(parents=True, exist_ok=True)
        (drive / name).write_bytes(b"MZ")
    assert wine.run("reg", "add", KEY, "/v", "Version", "/d", "3.97.1", "/f").returncode == 0
    kept = drive / "envs" / "mine.txt"
    kept.parent.mkdir(exist_ok=True)
    kept.touch()
    stop()
    restore()
    start()
    assert not any((drive / name).exists() for name in LEFT)
    assert not (drive / "Program Files" / "NVIDIA Corporation").exists()
    assert kept.exists()
    kept.unlink()
    assert wine.run("reg", "query", KEY).returncode != 0
    assert "3." in wine.out("-c", "import sys; print(sys.version)")
