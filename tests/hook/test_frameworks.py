"""The real frameworks on Linux with a stand-in driver, each as trueup builds it: what the hook changes, and the proof.

`tools/proof/measure.py` does the same and keeps what it found for `docs/hook.md` and `docs/windows.md`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools" / "proof"
sys.path.append(str(TOOLS))
from measure import linux  # noqa: E402  # a tool, no package
from page import parts  # noqa: E402
from targets import LINUX  # noqa: E402

LONG = os.environ.get("TRUEUP_LONG")
GPU = "['/physical_device:GPU:0']"
# TensorFlow that finds the wheels' libraries by itself.
BY_ITSELF = ("2.14.1", "2.15.1", "2.17.1", "2.18.1", "2.19.1", "2.20.0")


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.skipif(
    not LONG or sys.platform != "linux" or not shutil.which("gcc"),
    reason="downloads 3 GB each: set TRUEUP_LONG to 1, or to the sets to run, on Linux, with gcc",
)
@pytest.mark.parametrize("wish", LINUX)
def test_a_set_is_closed_and_lists_what_a_stand_in_carries(tmp_path: Path, wish: str) -> None:
    if LONG not in ("1", None) and wish not in LONG.split():
        pytest.skip("not asked for")
    row = linux(wish, tmp_path, ["nice", "-n", "15"])
    proof = row["closure"]
    assert (proof["unresolved"], proof["missing_symbols"], proof["unreadable"]) == ([], [], [])
    assert proof["complete"]
    if row["framework"] == "tensorflow":
        alone = GPU if row["version"] in BY_ITSELF else "[]"
        assert (row["alone"]["found"], row["hook"]["found"]) == (alone, GPU)
    assert not any(action == "error" for action in row["hook"]["did"])


def test_the_pages_say_what_was_measured() -> None:
    rows = json.loads((TOOLS / "rows.json").read_text("utf-8"))
    made = parts(rows)
    pages = "".join((TOOLS.parents[1] / "docs" / n).read_text("utf-8") for n in ("windows.md", "hook.md"))
    for name, text in made.items():
        assert f"<!-- {name} -->\n{text}\n<!-- /{name} -->" in pages


def test_what_was_measured_is_what_was_asked_for() -> None:
    found = json.loads((TOOLS / "rows.json").read_text("utf-8"))["windows"]
    proven = [found["sets"][row["lock"]] for row in found["rows"] if "lock" in row]
    assert len(proven) == 15  # five families, three Pythons
    assert all(proof["complete"] for proof in proven)
    assert {row["family"] for row in found["rows"] if "told" in row} == {"RTX 50 series", "Kepler"}
