"""Make data/metadata.json from harvest files: what a release's own METADATA asks for, where it matters.

usage: metadata.py DATE HARVEST.json...   (each as `trueup facts harvest --shallow` writes it)

Rows of releases that are read anew replace the old ones. Releases of a line mostly ask for the same, so a row
holds the position of its list.
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


HERE = {
    "windows": {
        "platform_system": "Windows",
        "sys_platform": "win32",
        "os_name": "nt",
        "platform_machine": "AMD64",
    },
    "linux": {
        "platform_system": "Linux",
        "sys_platform": "linux",
        "os_name": "posix",
        "platform_machine": "x86_64",
    },
}
PYTHONS = ("2.7", *(f"3.{minor}" for minor in range(5, 16)))


def holds(requirement: Requirement, platform: str, extras: list[str]) -> bool:
    """Tell whether any Python and extra on that platform brings the requirement."""
    marker = requirement.marker
    return marker is None or any(
        marker.evaluate(
            {**HERE[platform], "python_version": python, "python_full_version": f"{python}.1", "extra": extra}
        )
        for python in PYTHONS
        for extra in ("", *extras)
    )


def wanted(text: str, platform: str, extras: list[str]) -> str | None:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return None
    requirement.name = canonicalize_name(requirement.name)
    matters = MATTERS.fullmatch(requirement.name) and holds(requirement, platform, extras)
    return str(requirement) if matters else None


def held() -> list[list[Any]]:
    """Return the rows of the table as it is, with their lists."""
    data = json.loads((DATA / "metadata.json").read_text("utf-8"))
    return [[*row[:4], data["lists"][row[4]]] for row in data["rows"]]


def main(date: str, paths: list[str]) -> None:
    found = {tuple(row[:3]): row for row in held()}
    for path in paths:
        for row in json.loads(Path(path).read_text("utf-8"))["rows"]:
            platforms = [row["platform"]] if row["platform"] else ["windows", "linux"]
            if row["platform"] == "macos" or row["arch"] not in ("x86_64", None):
                continue
            own = row["metadata"]
            for platform in platforms:
                found_here = (wanted(text, platform, own["extras"]) for text in own["requires"])
                requires = sorted({text for text in found_here if text})
                key = row["package"], row["version"], platform
                found[key] = [*key, row["metadata"]["requires_python"], requires]
    rows = sorted(found.values(), key=lambda r: (r[0], Version(r[1]), r[2]))
    lists = [list(texts) for texts in dict.fromkeys(tuple(r[4]) for r in rows)]
    source = {"name": "METADATA of the wheels, read by range from PyPI", "date": date, "confidence": "high"}
    lines = ",\n".join(json.dumps([*r[:4], lists.index(r[4])]) for r in rows)
    texts = ",\n".join(json.dumps(texts) for texts in lists)
    body = f'{{"source": {json.dumps(source)},\n"lists": [\n{texts}\n],\n"columns": {json.dumps(COLUMNS)},\n"rows": [\n{lines}\n]}}\n'
    (DATA / "metadata.json").write_text(body, encoding="utf-8")
    print(len(rows))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
