"""Make data/builds/torch.json from a table of index flavours and the wheels that PyPI serves.

usage: torch.py TORCH_INDEX.csv DATE

The wheels of that index for Arm stand in torch_arm.json, each with the public text that names it.
The index of the CUDA flavours lists the same Pythons as PyPI does for the release (its own listing could
not be read), so they count as medium. PyPI serves CPU builds for Windows and one CUDA flavour for Linux.
"""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from builds import Wheels, wheels
from common import write_builds
from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterator

FIRST = Version("1.7")
ARM = Path(__file__).with_name("torch_arm.json")
# download and unpacked size of a CUDA environment beyond the wheel, in MB: estimates by CUDA line
SIZES = {"9": (1300, 2600), "10": (1600, 3200), "11": (2500, 4900), "12": (2900, 6300), "13": (2300, 5200)}
ARM_SASS = ["8.0", "9.0", "10.0", "11.0", "12.0"]
# What PyPI serves for Linux from a release on: CUDA and cuDNN by the nvidia-* pins of the wheel's metadata
# (by size and name where there are none), and whether aarch64 has it too.
PYPI = (
    ("1.7", "10.2", "", False), ("1.13", "11.7", "8.5.0.96", False), ("2.1", "12.1", "8.9.2.26", False),
    ("2.4", "12.1", "9.1.0.70", False), ("2.5", "12.4", "9.1.0.70", False), ("2.7", "12.6", "9.5.1.17", False),
    ("2.8", "12.8", "9.10.2.21", False), ("2.11", "13.0", "9.19.0.56", True), ("2.12", "13.0", "9.20.0.48", True),
    ("2.14", "13.0", "9.24.0.43", True), ("2.15", "13.2", "9.26.0.51", True),
)  # fmt: skip


READ = "7.5 8.0 8.6 9.0 10.0 12.0"  # 2.15.0 for Linux x86_64 from PyPI: the matrix only says "7.5 and up"


def code(text: str) -> tuple[list[str] | None, list[str] | None]:
    """Return SASS and PTX of a list such as "3.7+PTX 5.0 6.0"; nothing where only a lower end is known."""
    if text == "7.5 and up":
        text = READ
    if "up" in text or not text:
        return None, None
    words = text.split()
    # The matrix has "12.0+PTX" for CUDA 13; the wheels of 2.14.1 and 2.15.0 hold no PTX at all
    ptx = [w.removesuffix("+PTX") for w in words if w.endswith("+PTX") and w != "12.0+PTX"]
    return [w.removesuffix("+PTX") for w in words], ptx


def libraries(cuda: str, cudnn: str) -> list[str] | None:
    """Return the capabilities that both cuBLAS and cuDNN of a flavour have code for."""
    major, minor = (int(x) for x in cuda.split("."))
    known = tuple(int(x) for x in cudnn.split(".")[:2]) if cudnn else (0, 0)
    low = ["3.5", "3.7"] if major < 12 and known < (8, 8) else []
    middle = [] if major >= 13 or known >= (9, 11) else ["5.0", "5.2", "6.0", "6.1", "7.0"]
    high = ["7.5"] + (["8.0"] if major >= 11 else []) + (["8.6"] if (major, minor) >= (11, 1) else [])
    hopper = ["8.9", "9.0"] if (major, minor) >= (11, 8) else []
    blackwell = ["10.0", "12.0"] if (major, minor) >= (12, 8) else []
    return low + middle + high + hopper + blackwell


VC_RUNTIME = [
    'msvc-runtime>=14.42; sys_platform == "win32" and python_version >= "3.9"',
    'msvc-runtime==14.29.30133; sys_platform == "win32" and python_version < "3.9" and python_version >= "3.6"',
]


ARM_VC_RUNTIME = ['msvc-runtime>=14.42; sys_platform == "win32"']


def stack(row: dict[str, str], pypi: bool) -> dict[str, Any]:
    """Return what a flavour is made of."""
    if row["flavour"] == "cpu":
        return {"flavour": "cpu", "cuda": None, "cudnn": None, "cuda_from": "none", "sass": [], "ptx": [],
                "library_sass": [], "library_ptx": [], "source": "pypi" if pypi else "index"}  # fmt: skip
    sass, ptx = code(row["sm_archs"])
    depends = row["os"] == "linux" and Version(row["torch_version"]) >= Version("1.13" if pypi else "2.1")
    return {
        "flavour": "cuda", "cuda": row["cuda"], "cudnn": row["cudnn"] or None,
        "cuda_from": "dependency" if depends else "bundled", "sass": sass, "ptx": ptx,
        "library_sass": libraries(row["cuda"], row["cudnn"]), "library_ptx": [],
        "source": "pypi" if pypi else "index", "confidence": "medium" if row["confidence"] == "low" or not pypi else "high",
    }  # fmt: skip


def pypi(version: Version, platform: str, arch: str, known: list[dict[str, str]]) -> dict[str, str]:
    """Return what PyPI serves of a release, in the form of the table's rows."""
    row = {
        "torch_version": str(version),
        "os": platform,
        "flavour": "cpu",
        "cuda": "",
        "cudnn": "",
        "sm_archs": "",
        "confidence": "high",
    }
    _, cuda, cudnn, arm = next(d for d in reversed(PYPI) if version >= Version(d[0]))
    if platform == "windows" or (arch == "aarch64" and not arm):
        return row
    flavour = "cu" + cuda.replace(".", "")
    line = version.release[:2]
    like = [
        r
        for r in known
        if r["os"] == platform and r["flavour"] == flavour and Version(r["torch_version"]).release[:2] == line
    ]
    lists = like[0] if like else {"sm_archs": "", "confidence": "low"}
    return row | {
        "flavour": flavour,
        "cuda": cuda,
        "cudnn": cudnn,
        "sm_archs": lists["sm_archs"],
        "confidence": lists["confidence"],
    }


def sizes(row: dict[str, str], offer: Wheels, pypi: bool) -> tuple[int, int]:
    """Return download and disk in MB; a CPU wheel of PyPI unpacks to 5.4 times its size at most."""
    if row["cuda"]:
        return SIZES[row["cuda"].split(".")[0]]
    return (round(offer.bytes / 1e6) + 60, round(offer.bytes * 5.4 / 1e6) + 300) if pypi else (260, 1400)


def glibc(tag: str | None) -> str | None:
    """Return the least glibc: wheels tagged manylinux1 are built where glibc is 2.17 (RELEASE.md) and need that."""
    return max(tag, "2.17", key=Version) if tag else None


def build(row: dict[str, str], offer: Wheels, arch: str, name: str, pypi: bool) -> dict[str, Any]:
    download, disk = sizes(row, offer, pypi)
    made: dict[str, Any] = {
        "package": "torch", "version": row["torch_version"], "platform": row["os"], "arch": arch, "stack": name,
        "pythons": sorted(offer.pythons, key=Version), "glibc": glibc(offer.glibc), "download_mb": download, "disk_mb": disk,
    }  # fmt: skip
    if not pypi:
        made["index"] = [row["index_url"], "+" + row["flavour"]]
    return made


def main(table: str, date: str) -> None:
    offers = wheels("torch")
    stacks: dict[str, dict[str, Any]] = {}
    rows = []

    def add(row: dict[str, str], arch: str, pypi: bool, made: dict[str, Any]) -> None:
        offer = offers.get((Version(row["torch_version"]), row["os"], arch))
        if offer is None:
            return
        own = "-".join(
            ("torch", row["torch_version"], row["flavour"], row["os"], arch, *(["pypi"] if pypi else []))
        )
        if row["os"] == "windows":
            made = made | {"requirements": VC_RUNTIME}
        name = next((n for n, s in stacks.items() if s == made), own)
        stacks[name] = made
        rows.append(build(row, offer, arch, name, pypi))

    with Path(table).open(encoding="utf-8", newline="") as file:
        known = [
            r
            for r in csv.DictReader(file)
            if re.match(r"\d", r["torch_version"]) and Version(r["torch_version"]) >= FIRST
        ]
    for row in known:
        add(row, "x86_64", False, stack(row, False))
    for version, platform, arch in offers:
        if version >= FIRST and arch in ("x86_64", "aarch64"):
            row = pypi(version, platform, arch, known)
            made = stack(row, True)
            if arch == "aarch64" and row["cuda"]:
                made = of_arm(made, {"sass": ARM_SASS}) | {"confidence": "medium"}
            add(row, arch, True, made)
    arm = json.loads(ARM.read_text("utf-8"))
    for row, listed in listed_for_arm(arm["linux"], known):
        add(row, "aarch64", False, of_arm(stack(row, False), listed))
    windows_arm(rows, stacks, arm["windows"])
    directml(rows, stacks)
    sources = {
        "pypi": {"name": "PyPI project torch: wheels and their metadata; PyTorch RELEASE.md", "date": date},
        "index": {
            "name": "PyTorch RELEASE.md, previous-versions page and build scripts; the index's own listing was not read",
            "date": date,
        },
        "torch-directml": {"name": "torch-directml wheel METADATA", "date": date},
        **{name: {**source, "date": date, "confidence": "medium"} for name, source in arm["sources"].items()},
    }
    write_builds("torch", rows, stacks, sources)


def listed_for_arm(
    entries: list[dict[str, Any]], known: list[dict[str, str]]
) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Yield each flavour of x86_64 that aarch64 has too."""
    flavours = {(r["torch_version"], r["flavour"]): r for r in known if r["os"] == "linux"}
    for entry in entries:
        for version in entry["versions"]:
            yield from ((flavours[version, flavour], entry) for flavour in entry["flavours"])


def of_arm(made: dict[str, Any], listed: dict[str, Any]) -> dict[str, Any]:
    """Return a stack for aarch64: CUDA and cuDNN as on x86_64, GPU code as listed, libraries with Thor's 11.0."""
    thor = [c for c in listed["sass"] if c == "11.0"]
    served = [c for c in made["library_sass"] if Version(c) >= Version("7.5")]
    own = {"cuda_from": listed["from"], "source": listed["source"]} if "from" in listed else {}
    code = {"sass": listed["sass"], "ptx": [], "library_sass": sorted({*served, *thor}, key=Version)}
    return made | own | code


def windows_arm(rows: list[dict[str, Any]], stacks: dict[str, Any], listed: list[dict[str, Any]]) -> None:
    """Add the CPU builds for Windows on Arm, which only the index has."""
    for entry in listed:
        name = f"torch-cpu-windows-arm-{entry['source']}"
        cpu = stack({"flavour": "cpu"}, False)
        stacks[name] = cpu | {"requirements": ARM_VC_RUNTIME, "source": entry["source"]}
        rows += [
            {
                "package": "torch", "version": version, "platform": "windows", "arch": "aarch64", "stack": name,
                "pythons": entry["pythons"], "glibc": None, "download_mb": 110, "disk_mb": 600,
                "index": ["https://download.pytorch.org/whl/cpu", "+cpu"],
            }
            for version in entry["versions"]
        ]  # fmt: skip


def directml(rows: list[dict[str, Any]], stacks: dict[str, dict[str, Any]]) -> None:
    """Add torch-directml: the newest one, with the torch that its metadata pins."""
    stacks["torch-directml"] = {
        "flavour": "directml", "cuda": None, "cudnn": None, "cuda_from": "none", "sass": [], "ptx": [],
        "library_sass": [], "library_ptx": [], "requirements": ["torch-directml==0.2.5.dev240914", *VC_RUNTIME],
        "notes": ["facts.note-torch-directml-paused"], "source": "torch-directml",
    }  # fmt: skip
    plugin, torch = wheels("torch-directml"), wheels("torch")
    for platform in ("windows", "linux"):
        offer = plugin[Version("0.2.5.dev240914"), platform, "x86_64"]
        base = torch[Version("2.4.1"), platform, "x86_64"]
        rows.append({
            "package": "torch", "version": "2.4.1", "platform": platform, "arch": "x86_64", "stack": "torch-directml",
            "pythons": sorted(offer.pythons & base.pythons, key=Version), "glibc": base.glibc,
            "download_mb": 350, "disk_mb": 1200,
        })  # fmt: skip


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
