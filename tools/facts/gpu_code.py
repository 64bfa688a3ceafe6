"""Put harvested rows into data/gpu_code.json: `python tools/facts/gpu_code.py DATE HARVEST.json...`.

The rows come from `trueup facts harvest FOLDER --deep` over wheels that pip downloaded by name. Rows of wheels
that are read anew are replaced, all others stay. Given no file, the table is only written in its order.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from packaging.version import Version

from trueup.facts.harvest.readers.binaries import CARDS
from trueup.facts.harvest.summary import of_package

OUT = Path(__file__).parents[2] / "src/trueup/facts/data/gpu_code.json"


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


def merged(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return both, by wheel; what the new one has of a wheel replaces what the old one had."""
    read = set(new["sources"])
    sources = {name: value for name, value in old["sources"].items() if name not in read} | new["sources"]
    rows = [row for row in old["rows"] if row[3] not in read] + new["rows"]
    wheels = [wheel for wheel in old["wheels"] if wheel["source"] not in read] + new["wheels"]
    return {
        "sources": dict(sorted(sources.items())),
        "capabilities": new["capabilities"],
        "rows": sorted(rows, key=lambda row: (row[3], row[0])),
        "wheels": sorted(wheels, key=lambda wheel: str(wheel["source"])),
    }


def main() -> None:
    date, *files = sys.argv[1:]
    documents = [json.loads(Path(file).read_text("utf-8")) for file in files]
    new = table([row for document in documents for row in document["rows"]], date)
    made = merged(json.loads(OUT.read_text("utf-8")), new)
    lines = [f'"{part}": {json.dumps(made[part])}' for part in ("sources", "capabilities")]
    lines += [
        f'"{part}": [\n' + ",\n".join(json.dumps(row) for row in made[part]) + "\n]"
        for part in ("rows", "wheels")
    ]
    OUT.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
