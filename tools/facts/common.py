"""What the makers of build tables share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from packaging.version import Version

from trueup.facts.builds import COLUMNS, pack

DATA = Path(__file__).parents[2] / "src/trueup/facts/data"


def write_builds(framework: str, rows: list[dict[str, Any]], stacks: Any = None, sources: Any = None) -> None:
    """Write data/builds/FRAMEWORK.json, newest release first."""
    rows = sorted(rows, key=lambda r: (r["platform"], r["arch"], r.get("index") or [""]))
    rows.sort(key=lambda r: (Version(r["version"]), r["package"]), reverse=True)
    packed = pack(rows)
    body = ",\n".join(json.dumps(row) for row in packed.pop("rows"))
    parts = [f'"sources": {json.dumps(sources or {})}', f'"stacks": {lines_of(stacks or {})}']
    parts += [f'"{name}": {json.dumps(values)}' for name, values in packed.items()]
    parts += [f'"columns": {json.dumps(COLUMNS)}', f'"rows": [\n{body}\n]']
    (DATA / f"builds/{framework}.json").write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    print(framework, len(rows))


def lines_of(table: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(s)}" for n, s in table.items()) + "\n}"
