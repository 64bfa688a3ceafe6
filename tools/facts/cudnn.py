"""Make data/cudnn.json from a table of cuDNN releases.

usage: cudnn.py CUDNN.csv DATE
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import Any

from common import DATA
from packaging.version import Version

COLUMNS = [
    "first",
    "last",
    "cuda_first",
    "cuda_last",
    "least",
    "most",
    "driver_linux",
    "driver_windows",
    "zlib_windows",
    "source",
    "confidence",
    "conflict",
]


def cudas(text: str) -> tuple[str, str]:
    """Return the first and last CUDA of a cell; "12.x" as last means the whole line."""
    lines = sorted(set(re.findall(r"\d+\.\d+", text)), key=Version)
    open_ended = re.findall(r"(\d+)\.x", text)
    first = lines[0] if lines else f"{open_ended[0]}.0"
    return (f"{open_ended[0]}.0" if "earlier" in text else first), (
        lines[-1] if lines else f"{open_ended[0]}.x"
    )


def capability(text: str) -> str | None:
    return text if re.fullmatch(r"\d+\.\d", text) else None


def branch(text: str) -> str | None:
    return text if re.fullmatch(r"\d+(\.\d+)*", text) else None


def on_pypi(rows: list[list[Any]]) -> list[list[Any]]:
    """Return rows for releases that PyPI has and the table does not, carried over from their neighbours."""
    made = []
    for major in ("11", "12", "13"):
        files = json.loads((DATA / f"wheels/nvidia-cudnn-cu{major}.json").read_text("utf-8"))["files"]
        for release in sorted({".".join(f[0].split("-")[1].split(".")[:3]) for f in files}, key=Version):
            if any(spans(r, release) and r[2].split(".")[0] <= major <= r[3].split(".")[0] for r in rows):
                continue
            least = "7.5" if Version(release) >= Version("9.11") else "5.0"
            made.append(
                [
                    release,
                    release,
                    f"{major}.0",
                    f"{major}.x",
                    least,
                    None,
                    None,
                    None,
                    False,
                    "pypi",
                    None,
                    None,
                ]
            )
    return made


def spans(row: list[Any], release: str) -> bool:
    return Version(row[0]) <= Version(release) <= Version(row[1])


def main(path: str, date: str) -> None:
    rows = []
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found = re.fullmatch(
                r"(\d+(?:\.\d+)+)(?:\s*-\s*(\d+(?:\.\d+)+))?(?: preview)?", row["cudnn_version"]
            )
            if not found:
                continue
            rows.append([
                found[1], found[2] or found[1], *cudas(row["cuda_versions"]), capability(row["min_cc"]), capability(row["max_cc"]),
                branch(row["min_driver_linux"]), branch(row["min_driver_windows"]), row["needs_zlibwapi_windows"] == "yes", "matrix",
                row["confidence"], None if row["conflict"] == "as above" else row["conflict"] or None,
            ])  # fmt: skip
    rows += on_pypi(rows)
    rows.sort(key=lambda r: (Version(r[0]), r[2]))
    source = {"name": "cuDNN support matrices and install guides, by release; conda-forge recipes", "date": date,
              "address": "https://docs.nvidia.com/deeplearning/cudnn/backend/latest/reference/support-matrix.html"}  # fmt: skip
    lines = ",\n".join(json.dumps(r) for r in rows)
    pypi = {
        "name": "nvidia-cudnn-cu* wheels on PyPI; capability carried over from the next documented release",
        "date": date,
        "confidence": "low",
    }
    body = f'{{"sources": {{"matrix": {json.dumps(source)}, "pypi": {json.dumps(pypi)}}},\n"columns": {json.dumps(COLUMNS)},\n"rows": [\n{lines}\n]}}\n'
    (DATA / "cudnn.json").write_text(body, encoding="utf-8")
    print(len(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
