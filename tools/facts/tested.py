"""Make data/tested.json: TensorFlow's own table of tested builds, from 1.13 on.

usage: tested.py TF_TESTED.csv DATE
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

from common import DATA
from packaging.version import Version

ADDRESS = "https://github.com/tensorflow/docs/blob/7c3650212740204359d4ceae481abc79345541be/site/en/install/source.md"
COLUMNS = ["version", "platform", "package", "cuda", "cudnn"]


def number(text: str) -> str:
    """Return "10.0" for the table's "10"."""
    return text if "." in text else f"{text}.0"


def main(path: str, date: str) -> None:
    rows = []
    with Path(path).open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            platform, _, kind = row["platform"].partition("-")
            release = re.fullmatch(r"\d+\.\d+\.\d+", row["tf_version"])
            if (
                not release
                or kind != "gpu"
                or platform == "macos"
                or Version(row["tf_version"]) < Version("1.13")
            ):
                continue
            package = row["package"].replace("_", "-")
            rows.append([row["tf_version"], platform, package, number(row["cuda"]), number(row["cudnn"])])
    rows.sort(key=lambda r: (Version(r[0]), r[1]))
    source = {
        "name": "TensorFlow: tested build configurations (source.md and source_windows.md)",
        "date": date,
        "address": ADDRESS,
    }
    lines = ",\n".join(json.dumps(r) for r in rows)
    body = f'{{"source": {json.dumps(source)},\n"columns": {json.dumps(COLUMNS)},\n"rows": [\n{lines}\n]}}\n'
    (DATA / "tested.json").write_text(body, encoding="utf-8")
    print(len(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
