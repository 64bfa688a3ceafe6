"""Make data/builds/FRAMEWORK.json: wheels that exist (data/wheels) x what they were built with (lines.json).

A line says which stack (data/stacks.json) a range of releases belongs to; every line that matches makes
a row, so one release can be in two flavours. A release is listed for the Pythons that have its wheel and,
where it is a stub, the wheel it stands for too. Builds of an index whose listing was read as a page stand in listed.json as they are.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import DATA, write_builds
from packaging.specifiers import SpecifierSet
from packaging.utils import parse_wheel_filename
from packaging.version import Version

HERE = Path(__file__).parent
# bytes on disk per byte of wheel: the largest of the TensorFlow wheels read, CUDA builds and others
UNPACKED = {"cuda": 3.3, "cpu": 4.7, "directml": 4.7}
PYTHONS = tuple(f"3.{minor}" for minor in range(6, 16))
Place = tuple[str, str, str | None]  # platform, architecture, least glibc
ANYWHERE: tuple[Place, ...] = (
    ("windows", "x86_64", None),
    ("linux", "x86_64", None),
    ("linux", "aarch64", None),
)
OLD_GLIBC = {"manylinux1": "2.5", "manylinux2010": "2.12", "manylinux2014": "2.17"}


@dataclass
class Wheels:
    """What one release offers on one platform."""

    pythons: set[str] = field(default_factory=set)
    glibc: str | None = None
    bytes: int = 0


def platforms_of(tag: str) -> tuple[Place, ...]:
    """Return platform, architecture and least glibc for a wheel's platform tag."""
    if tag == "any":
        return ANYWHERE
    place = platform_of(tag)
    return (place,) if place else ()


def platform_of(tag: str) -> Place | None:
    if tag == "win_amd64":
        return "windows", "x86_64", None
    if tag == "win_arm64":
        return "windows", "aarch64", None
    found = re.fullmatch(r"(manylinux(?:1|2010|2014|_(\d+)_(\d+)))_(x86_64|aarch64)", tag)
    if not found:
        return None
    glibc = f"{found[2]}.{found[3]}" if found[2] else OLD_GLIBC[found[1]]
    return "linux", found[4], glibc


def pythons_of(interpreter: str) -> set[str]:
    found = re.fullmatch(r"cp(\d)(\d+)", interpreter)
    if found:
        return {f"{found[1]}.{found[2]}"}
    return set(PYTHONS) if interpreter == "py3" else set()


def wheels(project: str) -> dict[tuple[Version, str, str], Wheels]:
    """Return what each release of a project offers per platform and architecture."""
    found: dict[tuple[Version, str, str], Wheels] = defaultdict(Wheels)
    for name, _, size in json.loads((DATA / f"wheels/{project}.json").read_text("utf-8"))["files"]:
        _, version, _, tags = parse_wheel_filename(name)
        if any(t.abi.endswith("t") and t.abi != "abi3" for t in tags):
            continue  # free-threaded builds are another interpreter
        for place in {p for t in tags for p in platforms_of(t.platform)}:
            entry = found[version, place[0], place[1]]
            entry.pythons |= {p for t in tags for p in pythons_of(t.interpreter)}
            entry.glibc = min(filter(None, (entry.glibc, place[2])), key=Version, default=None)
            entry.bytes = max(entry.bytes, size)
    return found


def rows(line: dict[str, Any], stacks: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of one line."""
    allowed = SpecifierSet(line["versions"], prereleases=True)
    needed = {n: wheels(n) for n in line.get("needs", ())}
    made = []
    for (version, platform, arch), offer in wheels(line["package"]).items():
        if (
            version not in allowed
            or line.get("platform", platform) != platform
            or line.get("arch", arch) != arch
        ):
            continue
        parts = [offer, *(newest(n, version, platform, arch, stacks[line["stack"]]) for n in needed.items())]
        pythons = set.intersection(*(p.pythons for p in parts))
        if not pythons:
            continue
        stack = stacks[line["stack"]]
        megabytes = sum(p.bytes for p in parts) / 1e6
        made.append({
            "package": line["package"], "version": str(version), "platform": platform, "arch": arch,
            "stack": line["stack"], "pythons": sorted(pythons, key=Version),
            "glibc": max((g for p in parts if (g := p.glibc and line.get("glibc", p.glibc))), key=Version, default=None),
            "download_mb": round(megabytes + stack.get("extra_download_mb", 0)),
            "disk_mb": round(megabytes * UNPACKED[stack["flavour"]] + stack.get("extra_disk_mb", 0)),
        })  # fmt: skip
    return made


def newest(
    need: tuple[str, dict[Any, Wheels]], version: Version, platform: str, arch: str, stack: Any
) -> Wheels:
    """Return the wheels of a needed project: its pinned release, or the one of the same version."""
    name, offers = need
    pins = (re.fullmatch(rf"{re.escape(name)}==([^;\s]+).*", r) for r in stack.get("requirements", ()))
    pinned = next((Version(p[1]) for p in pins if p), version)
    return offers.get((pinned, platform, arch), Wheels())


def main() -> None:
    stacks = json.loads((DATA / "stacks.json").read_text("utf-8"))["stacks"]
    listed = json.loads((HERE / "listed.json").read_text("utf-8"))
    for framework, lines in json.loads((HERE / "lines.json").read_text("utf-8")).items():
        seen: set[tuple[str, ...]] = set()
        made = []
        for line in lines:
            for row in rows(line, stacks):
                stack = stacks[row["stack"]]
                kind = stack["flavour"], (stack["cuda"] or "").split(".")[0]
                key = (row["package"], row["version"], row["platform"], row["arch"], *kind)
                if key not in seen:
                    seen.add(key)
                    made.append(row)
        write_builds(framework, made + listed.get(framework, []))


if __name__ == "__main__":
    main()
