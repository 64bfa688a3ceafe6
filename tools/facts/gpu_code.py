"""Make data/gpu_code.json from harvested rows: `python tools/facts/gpu_code.py DATE HARVEST.json...`.

The rows come from `trueup facts harvest FOLDER` over wheels that pip downloaded by name.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from packaging.version import Version

from trueup.facts.harvest.readers.binaries import CARDS
from trueup.facts.harvest.summary import of_package

DATA = Path(__file__).parents[2] / "src/trueup/facts/data"


def table(rows: list[dict[str, Any]], date: str) -> dict[str, Any]:
    """Return sources, a row for each library with GPU code, and one for each wheel that says how it was built."""
    made: dict[str, Any] = {"sources": {}, "capabilities": list(CARDS), "rows": [], "wheels": []}
    for row in sorted(rows, key=lambda r: (r["package"], Version(r["version"]), r["file"])):
        holders = [b for b in row["binaries"] if "gpu_code" in b]
        if not holders and not row["build"]:
            continue
        name = row["file"].removesuffix(".whl")
        made["sources"][name] = {"name": row["file"], "date": date, "address": f"sha256:{row['sha256']}"}
        made["rows"] += [_library(binary, name) for binary in holders]
        made["wheels"].append(_wheel(row, holders) | {"source": name})
    return made


def _wheel(row: dict[str, Any], holders: list[dict[str, Any]]) -> dict[str, Any]:
    sass, ptx = of_package(row["package"], holders)
    place = {key: row[key] for key in ("package", "version", "platform", "arch")}
    said = {key: (row["build"] or {}).get(key) for key in ("is_cuda", "cuda", "cudnn")}
    return {**place, **said, "sass": list(sass), "ptx": list(ptx)}


def _library(binary: dict[str, Any], source: str) -> list[Any]:
    found = binary["gpu_code"]
    counts = [found["reach"][card] for card in CARDS]
    return [binary["member"].rpartition("/")[2], binary["size"], found["modules"], source, counts]


def main() -> None:
    date, *files = sys.argv[1:]
    documents = [json.loads(Path(file).read_text("utf-8")) for file in files]
    made = table([row for document in documents for row in document["rows"]], date)
    lines = [f'"{part}": {json.dumps(made[part])}' for part in ("sources", "capabilities")]
    lines += [
        f'"{part}": [\n' + ",\n".join(json.dumps(row) for row in made[part]) + "\n]"
        for part in ("rows", "wheels")
    ]
    (DATA / "gpu_code.json").write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
