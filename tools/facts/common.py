"""What the makers of build tables share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from packaging.version import Version

DATA = Path(__file__).parents[2] / "src/trueup/facts/data"


def write_builds(framework: str, rows: list[dict[str, Any]], stacks: Any = None, sources: Any = None) -> None:
    """Write data/builds/FRAMEWORK.json, newest release first; a later row of the same build is dropped."""
    rows = sorted(rows, key=lambda r: (r["platform"], r["arch"], r.get("index") or ""))
    rows.sort(key=lambda r: (Version(r["version"]), r["package"]), reverse=True)
    parts = []
    if stacks:
        parts.append(f'"sources": {json.dumps(sources)}')
        lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(s)}" for n, s in stacks.items())
        parts.append(f'"stacks": {{\n{lines}\n}}')
    lines = ",\n".join(json.dumps(r) for r in rows)
    parts.append(f'"rows": [\n{lines}\n]')
    (DATA / f"builds/{framework}.json").write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")
    print(framework, len(rows))
