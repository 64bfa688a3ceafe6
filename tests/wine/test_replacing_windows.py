"""A file that is written anew on Windows: the content changes, what describes the file stays."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from winehost import Wine, windows

if TYPE_CHECKING:
    from collections.abc import Iterable

pytestmark = pytest.mark.wine
SOURCE = windows(Path(__file__).parents[2] / "src")
PROBE = """
import ctypes, json, os, stat, sys
from pathlib import Path
from trueup.setup.changes import Store
from trueup.setup.changes.files import file_change
HIDDEN, READ_ONLY = 2, 1
folder = Path(sys.argv[1])
store, path = Store(folder / "journal"), folder / "设置.txt"
path.write_bytes(b"old")
ctypes.windll.kernel32.SetFileAttributesW(str(path), int(sys.argv[2]))
def now():
    bits = ctypes.windll.kernel32.GetFileAttributesW(str(path))
    return [path.read_bytes().decode(), bool(bits & HIDDEN), bool(bits & READ_ONLY)]
seen = [now()]
with store.begin("trueup fix") as transaction:
    transaction.apply(file_change(path, b"new", store.blobs))
seen.append(now())
seen.append([outcome.result for outcome in store.undo(store.records()[0])])
seen.append(now())
seen.append(sorted(one.name for one in folder.iterdir()))
print(json.dumps(seen))
"""


@pytest.mark.parametrize("bits", [0x80, 0x1], ids=["plain", "read-only"])
def test_a_changed_file_and_its_undo(wine: Wine, tmp_path: Path, bits: int) -> None:
    script = tmp_path / "probe.py"
    script.write_text(PROBE, "utf-8")
    place = tmp_path / "place"
    place.mkdir()
    told: Iterable[object] = json.loads(
        wine.out(script, windows(place), str(bits), PYTHONPATH=SOURCE, PYTHONUTF8="1")
    )
    locked = bits == 0x1
    assert list(told) == [
        ["old", False, locked],
        ["new", False, locked],
        ["restored"],
        ["old", False, locked],
        ["journal", "设置.txt"],
    ]
