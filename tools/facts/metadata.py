"""Make data/metadata.json from harvest files: what a release's own METADATA asks for, where it matters.

usage: metadata.py DATE HARVEST.json...   (each as `trueup facts harvest --shallow` writes it)
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from common import DATA
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

COLUMNS = ["package", "version", "platform", "requires_python", "requires"]
MATTERS = re.compile(
    r"(numpy|protobuf|keras|h5py|ml-dtypes|setuptools|tensorboard|tensorflow(-.*)?|typing-extensions|wrapt|gast|scipy|jaxlib|jax-.*"
    r"|triton|nvidia-.*|cuda-.*|tensorrt.*|torch|torchvision|flatbuffers)"
)


def wanted(text: str) -> str | None:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    requirement.name = canonicalize_name(requirement.name)
    return str(requirement) if MATTERS.fullmatch(requirement.name) else None


def main(date: str, paths: list[str]) -> None:
    found: dict[tuple[str, str, str], list[Any]] = {}
    for path in paths:
        for row in json.loads(Path(path).read_text("utf-8"))["rows"]:
            if row["platform"] not in ("windows", "linux") or row["arch"] != "x86_64":
                continue
            requires = sorted({w for text in row["metadata"]["requires"] if (w := wanted(text))})
            key = row["package"], row["version"], row["platform"]
            found[key] = [*key, row["metadata"]["requires_python"], requires]
    rows = sorted(found.values(), key=lambda r: (r[0], Version(r[1]), r[2]))
    source = {"name": "METADATA of the wheels, read by range from PyPI", "date": date, "confidence": "high"}
    lines = ",\n".join(json.dumps(r) for r in rows)
    body = f'{{"source": {json.dumps(source)},\n"columns": {json.dumps(COLUMNS)},\n"rows": [\n{lines}\n]}}\n'
    (DATA / "metadata.json").write_text(body, encoding="utf-8")
    print(len(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
