"""What the makers of build tables share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from packaging.version import Version

DATA = Path(__file__).parents[2] / "src/trueup/facts/data"


COLUMNS = [
    "package",
    "version",
    "platform",
    "arch",
    "stack",
    "pythons",
    "glibc",
    "download_mb",
    "disk_mb",
    "index",
]
LISTS = (
    "package",
    "stack",
    "pythons",
    "index",
)  # written as positions in a list: rows stay short and load fast


def write_builds(framework: str, rows: list[dict[str, Any]], stacks: Any = None, sources: Any = None) -> None:
    """Write data/builds/FRAMEWORK.json, newest release first."""
    rows = sorted(rows, key=lambda r: (r["platform"], r["arch"], r.get("index") or ""))
    rows.sort(key=lambda r: (Version(r["version"]), r["package"]), reverse=True)
    lists: dict[str, list[Any]] = {name: [] for name in LISTS}
    lines = [json.dumps([place(lists, name, row.get(name)) for name in COLUMNS]) for row in rows]
    parts = [f'"sources": {json.dumps(sources or {})}', f'"stacks": {lines_of(stacks or {})}']
    parts += [f'"{name}": {json.dumps(values)}' for name, values in lists.items()]
    body = ",\n".join(lines)
    parts += [f'"columns": {json.dumps(COLUMNS)}', f'"rows": [\n{body}\n]']
    (DATA / f"builds/{framework}.json").write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    print(framework, len(rows))


def place(lists: dict[str, list[Any]], name: str, value: Any) -> Any:
    if name not in lists or value is None:
        return value
    if value not in lists[name]:
        lists[name].append(value)
    return lists[name].index(value)


def lines_of(table: dict[str, Any]) -> str:
    return "{\n" + ",\n".join(f"{json.dumps(n)}: {json.dumps(s)}" for n, s in table.items()) + "\n}"
