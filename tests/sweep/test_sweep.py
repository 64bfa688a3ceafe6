"""The sweep's own parts, and what its stored results must hold."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

BENCH = Path(__file__).parents[2] / "bench" / "sweep"
pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="the sweep reads TOML")


def part(name: str) -> Any:
    if str(BENCH) not in sys.path:
        sys.path.insert(0, str(BENCH))
    return importlib.import_module(name)


def stored() -> list[dict[str, Any]]:
    cells: list[dict[str, Any]] = json.loads((BENCH / "results.json").read_text("utf-8"))["cells"]
    return cells


def cell(**values: Any) -> Any:
    done = dict.fromkeys(
        ("resolved", "installed", "imported", "trained", "compiled", "saved", "tensorboard"), True
    )
    known = {"minor": "2.10", "python": "3.9", "way": "capped", "version": "2.10.1", "date": "2026-11-30"}
    return part("cell").Cell(**{**known, **done, **values})


def test_every_step_must_have_held() -> None:
    assert cell().green
    assert not cell(tensorboard=False).green
    assert not cell(compiled=None).green


def test_caps_follow_release_and_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"package": "tensorflow", "versions": ">=2.4,<2.11", "python": None, "constraint": "a<1"},
        {"package": "tensorflow", "versions": ">=2.4", "python": "<3.8", "constraint": "b<2"},
    ]
    caps = tmp_path / "caps.json"
    caps.write_text(json.dumps({"rows": rows}))
    sweep = part("sweep")
    monkeypatch.setattr(sweep, "CAPS", caps)
    assert sweep.caps_for("2.10.1", "3.7") == ["a<1", "b<2"]
    assert sweep.caps_for("2.10.1", "3.10") == ["a<1"]
    assert sweep.caps_for("2.21.0", "3.10") == []


def test_interpreters_by_minor(tmp_path: Path) -> None:
    for name in ("3.9.18", "3.10.13", "cpython-3.12.1-linux", "notes"):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "bin" / "python").touch()
    (tmp_path / "3.8.18").mkdir()
    assert list(part("sweep").pythons(tmp_path)) == ["3.9", "3.10", "3.12"]


def test_old_numpy_names_are_found_in_code_only(tmp_path: Path) -> None:
    (tmp_path / "keras").mkdir()
    text = '"""np.object"""\nx = np.bool_  # np.bool\ny = np.float32\nz = np.zeros(3, np.bool)\n'
    (tmp_path / "keras" / "conv.py").write_text(text)
    assert part("cell").old_numpy_names(tmp_path) == ["keras/conv.py:4 np.bool"]


def test_the_table_shows_marks_and_words(tmp_path: Path) -> None:
    red = cell(python="3.10", imported=False, error="Traceback\n  File\nAttributeError: _ARRAY_API not found")
    sweep = part("sweep")
    sweep.save(tmp_path / "results.json", [red, cell()])
    assert [c.python for c in sweep.load(tmp_path / "results.json")] == ["3.9", "3.10"]
    text = (tmp_path / "results.md").read_text()
    assert "| 2.10 |  |  |  | ✓ | ✗ |  |  |  |" in text
    assert "2.10.1, Python 3.10, imported not: `AttributeError: _ARRAY_API not found`" in text


def test_every_stored_cell_with_caps_ran_green_with_what_the_facts_say() -> None:
    sweep = part("sweep")
    capped = [c for c in stored() if c["way"] == "capped"]
    assert capped
    for row in capped:
        assert part("cell").Cell(**row).green, (row["version"], row["python"], row["error"])
        for text in sweep.caps_for(row["version"], row["python"]):
            cap = Requirement(text)
            assert cap.name not in row["packages"] or row["packages"][cap.name] in cap.specifier, row


def test_the_stored_table_is_that_of_the_stored_results() -> None:
    cells = part("sweep").load(BENCH / "results.json")
    assert (BENCH / "results.md").read_text("utf-8") == part("table").render(cells)


def test_what_is_built_from_source_is_what_locks_allow() -> None:
    from trueup.plan.request import PURE_SDISTS

    built = {name for row in stored() if row["way"] == "capped" for name in row["sdists"]}
    built |= {name for row in stored() if row["way"] == "capped" for name in row["sdists_windows"] or ()}
    assert built <= set(PURE_SDISTS)
