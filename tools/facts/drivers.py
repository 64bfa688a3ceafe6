"""Make data/drivers.json from a table of toolkits and drivers and a table of driver branches.

usage: drivers.py CUDA_DRIVER.csv DRIVER_CUDA_MAX.csv DATE

Of the editions of one CUDA line the lowest driver counts: it is the first that knows the line's PTX.
Where the toolkit came without a Windows driver, the branch that first shows that CUDA stands in.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

from packaging.version import Version

OUT = Path(__file__).parents[2] / "src/trueup/facts/data/drivers.json"
NOTES = "https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/index.html"
COMPAT = "https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html"
# The floor of a major line; 11.0 stands apart. 528.33 and not 527.41: the stricter of two official numbers.
MINOR = {"11.0": ("450.36.06", "451.22"), "11": ("450.80.02", "452.39"), "12": ("525.60.13", "528.33"), "13": ("580.65.06", "580")}  # fmt: skip


def number(text: str) -> str | None:
    found = re.fullmatch(r">=(\d+(?:\.\d+)*)", text.strip())
    return found[1] if found else None


def least(rows: list[dict[str, str]], column: str) -> str | None:
    return min((n for r in rows if (n := number(r[column]))), key=Version, default=None)


def stricter(cuda: str, os: str, full: str | None, minor: str | None) -> tuple[str | None, str | None]:
    """Return the full driver and what other sources say; of two official numbers the higher one."""
    if (cuda, os) == ("11.8", "windows"):
        return "522.06", "the release notes print 520.06; the installer brings 522.06"
    if minor == "528.33":
        conflict = "the cuDNN support matrix and the 12.0 row of the release notes say 527.41"
        return (max(full, minor, key=Version) if full else None), conflict
    return full, None


def branches(path: str) -> list[list[Any]]:
    made = []
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found = re.fullmatch(r"(\d+)(?:-(\d+))?", row["driver_branch"])
            if found and re.fullmatch(r"\d+\.\d+", row["max_cuda_shown"]):
                first = (
                    367 if found[1] == "361" else int(found[1])
                )  # R361 and R364 are other branches, unread
                made.append(
                    [
                        first,
                        int(found[2] or found[1]),
                        row["max_cuda_shown"],
                        row["confidence"],
                        None if row["conflict"] == "as above" else row["conflict"] or None,
                    ]
                )
    return made


def main(toolkits: str, shown: str, date: str) -> None:
    known = branches(shown)
    with Path(toolkits).open(encoding="utf-8", newline="") as file:
        table = [r for r in csv.DictReader(file) if re.fullmatch(r"\d+\.\d+", r["cuda_version"])]
    floors = []
    for cuda in sorted({r["cuda_version"] for r in table} - {"12.7"}, key=Version):
        rows = [r for r in table if r["cuda_version"] == cuda]
        minor = MINOR.get(cuda) or MINOR.get(cuda.split(".")[0]) or (None, None)
        first = next((b for b in known if b[2] == cuda), None)
        for index, (os, column) in enumerate(
            (("linux", "toolkit_min_driver_linux"), ("windows", "toolkit_min_driver_windows"))
        ):
            full, source = least(rows, column), "toolkit"
            if full is None and first:
                full, source = str(first[0]), "branch"
            full, conflict = stricter(cuda, os, full, minor[index])
            floors.append([cuda, os, minor[index], full, source, conflict])
    sources = {
        "toolkit": {
            "name": "CUDA Toolkit release notes: toolkit and minimum driver (13.2 Update 2 edition)",
            "date": date,
            "address": NOTES,
        },
        "branch": {
            "name": "first driver branch that shows this CUDA version",
            "date": date,
            "confidence": "medium",
        },
        "minor": {"name": "CUDA minor version compatibility", "date": date, "address": COMPAT},
        "shown": {"name": "CUDA version that nvidia-smi prints, by driver branch", "date": date},
    }
    parts = {
        "floors": (["cuda", "os", "minor_compatible", "full", "source", "conflict"], floors),
        "branches": (["from", "to", "cuda", "confidence", "conflict"], known),
    }
    body = ",\n".join(
        f'"{n}": {{"columns": {json.dumps(c)}, "rows": [\n' + ",\n".join(json.dumps(r) for r in rows) + "\n]}"
        for n, (c, rows) in parts.items()
    )
    OUT.write_text(f'{{"sources": {json.dumps(sources, indent=1)},\n{body}}}\n', encoding="utf-8")
    print(len(floors), len(known))


if __name__ == "__main__":
    main(*sys.argv[1:4])
