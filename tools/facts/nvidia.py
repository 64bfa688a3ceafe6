"""Make data/nvidia.json from harvest files: which libraries NVIDIA's and Microsoft's wheels hold, and their size.

usage: nvidia.py DATE HARVEST.json...   (each as `trueup facts harvest --shallow` writes it)
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from common import DATA
from packaging.version import Version

COLUMNS = ["project", "version", "platform", "arch", "download", "unpacked", "libraries"]


def main(date: str, paths: list[str]) -> None:
    found: dict[tuple[str, str, str, str], list[Any]] = {}
    for path in paths:
        for row in json.loads(Path(path).read_text("utf-8"))["rows"]:
            if row["arch"] == "x86":
                continue  # 32-bit
            key = row["package"], row["version"], row["platform"], row["arch"]
            found[key] = [*key, row["size"], row["unpacked"], sorted(row["libraries"])]
    rows = sorted(found.values(), key=lambda r: (r[0], Version(r[1]), r[2], r[3]))
    source = {
        "name": "central directories of the wheels, read by range from PyPI",
        "date": date,
        "confidence": "high",
    }
    lines = ",\n".join(json.dumps(r) for r in rows)
    body = f'{{"source": {json.dumps(source)},\n"columns": {json.dumps(COLUMNS)},\n"rows": [\n{lines}\n]}}\n'
    (DATA / "nvidia.json").write_text(body, encoding="utf-8")
    print(len(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
