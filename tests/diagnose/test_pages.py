"""docs/errors/ says what the catalog says."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_pages_are_up_to_date() -> None:
    made = runpy.run_path(str(ROOT / "tools" / "diagnose" / "pages.py"))["pages"]()
    there = {path: path.read_text("utf-8") for path in (ROOT / "docs" / "errors").rglob("*.md")}
    assert set(there) == set(made)
    stale = [path.name for path, text in made.items() if there[path] != text]
    assert not stale, "run python tools/diagnose/pages.py"
