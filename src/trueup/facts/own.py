"""The user's own facts: a folder with one `FRAMEWORK.json` of newer releases each, as `facts update` writes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = "trueup.facts-overlay/1"
PARTS = {"rows": list, "stacks": dict, "sources": dict}


def read(folder: Path, framework: str) -> dict[str, Any]:
    """Return the additions; empty where there are none, or the file is damaged: the next update makes it anew."""
    try:
        data = json.loads((folder / f"{framework}.json").read_bytes())
    except (OSError, ValueError):
        data = None
    whole = isinstance(data, dict) and data.get("schema") == SCHEMA
    if whole and all(isinstance(data.get(part), kind) for part, kind in PARTS.items()):
        return dict(data)
    return {part: kind() for part, kind in PARTS.items()}
