"""The history on Windows: odd folders, damaged and locked files, a damaged file that another program holds open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from winehost import Wine, windows

pytestmark = pytest.mark.wine
PROBE = Path(__file__).with_name("history_probe.py")
SOURCE = windows(PROBE.parents[2] / "src")


def test_the_history_on_windows(wine: Wine, tmp_path: Path) -> None:
    answer = json.loads(wine.out(PROBE, tmp_path, timeout=900, PYTHONPATH=SOURCE, PYTHONUTF8="1"))
    assert answer == {
        "kept": [1, 1, 1],
        "write": True,
        "read": True,
        "locked": "locked",
        "held": "stuck",
    }
