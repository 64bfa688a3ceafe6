"""Newer releases put over the shipped tables, and written to the user's own folder."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from trueup.facts.builds import expand
from trueup.facts.harvest.newer import Known
from trueup.facts.own import SCHEMA, read
from trueup.facts.store import exists, table

if TYPE_CHECKING:
    from pathlib import Path


def shipped(framework: str) -> Known:
    """Return what the program came with; no rows for a framework without builds."""
    if not exists(f"builds/{framework}"):
        return Known((), table("stacks")["stacks"])
    data = table(f"builds/{framework}")
    return Known(tuple(expand(data)), {**table("stacks")["stacks"], **data["stacks"]})


def merged(old: dict[str, Any], new: dict[str, Any], known: Known) -> dict[str, Any]:
    """Return additions old and new; a row read anew replaces its elder, one that is shipped by now is dropped."""
    rows = {_key(row): row for row in (*old["rows"], *new["rows"])}
    for row in known.rows:
        rows.pop(_key(row), None)
    used = {row["stack"] for row in rows.values()}
    return {
        "schema": SCHEMA,
        "rows": sorted(rows.values(), key=_key, reverse=True),
        **{
            part: {name: value for name, value in {**old[part], **new[part]}.items() if name in used}
            for part in ("stacks", "sources")
        },
    }


def _key(row: Any) -> tuple[str, ...]:
    return tuple(row[part] for part in ("package", "version", "platform", "arch"))


def write(folder: Path, framework: str, data: dict[str, Any]) -> Path:
    """Write additions in one step: a reader never sees half a file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{framework}.json"
    fresh = path.with_suffix(f".{os.getpid()}.new")
    fresh.write_text(json.dumps(data, ensure_ascii=False, indent=1) + "\n", "utf-8")
    fresh.replace(path)
    return path


def own(folder: Path, framework: str) -> Known:
    """Return what the program knows with the user's additions: shipped builds and those of the folder."""
    known, more = shipped(framework), read(folder, framework)
    return Known((*more["rows"], *known.rows), {**known.stacks, **more["stacks"]})
