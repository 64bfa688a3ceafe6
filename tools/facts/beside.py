"""Make data/beside.json: packages that are wanted beside a framework, and what each release asks of it.

usage: beside.py DATE [PACKAGE...]   (without names: all of PACKAGES; with names only these are read anew)

One wheel of a release says it for all: what its METADATA asks of frameworks and of the packages that frameworks
limit. Where the METADATA asks nothing of a framework, an extra that bears its name says which releases it was made
for, the table of TensorFlow I/O's description does, or the check in TensorFlow Probability's `__init__`.
"""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING, Any

from common import DATA
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from trueup.cli.harvesting import connect
from trueup.cli.session import Session
from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.run import Offer, offers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.version import Version

    from trueup.facts.harvest.index import Index
    from trueup.facts.harvest.wheel import Wheel

PACKAGES = (
    "accelerate", "bitsandbytes", "flax", "h5py", "keras", "keras-cv", "keras-hub", "keras-nlp", "lightning", "ml-dtypes", "numpy",
    "opencv-python", "optax", "pandas", "protobuf", "pytorch-lightning", "scikit-learn", "scipy", "tensorflow-addons",
    "tensorflow-datasets", "tensorflow-decision-forests", "tensorflow-hub", "tensorflow-io", "tensorflow-probability",
    "tensorflow-text", "tf-keras", "tf-models-official", "timm", "torchaudio", "torchvision", "transformers", "ultralytics", "xformers",
)  # fmt: skip
FRAMEWORKS = json.loads((DATA / "frameworks.json").read_text("utf-8"))["frameworks"]
NAMES = {name for names in FRAMEWORKS.values() for name in names}
LIMITED = {"numpy", "protobuf", "keras", "tf-keras", "ml-dtypes", "h5py"}
EXTRAS = {"tensorflow", "tf", "torch", "jax"}
MOST = 150  # releases of a package, newest first
TABLE = re.compile(r"^\|\s*([\d.]+)\s*\|\s*([\d.]+?)(\.x)?\s*\|", re.MULTILINE)
CHECK = re.compile(r"^\s*required_tensorflow_version = ['\"]([\d.]+)['\"]", re.MULTILINE)
PLATFORMS = (("linux", "x86_64"), ("windows", "x86_64"), ("linux", "aarch64"))


def asks(requires: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return what is asked outright, and what extras named after a framework ask of it."""
    hard, soft = set(), set()
    for text in requires:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        name = requirement.name = canonicalize_name(requirement.name)
        marker = str(requirement.marker or "")
        if not requirement.specifier or name not in NAMES | LIMITED:
            continue
        if "extra" not in marker:
            hard.add(str(requirement))
        elif name in NAMES and (found := re.search(r'extra == "([\w-]+)"', marker)) and found[1] in EXTRAS:
            requirement.marker = None
            requirement.extras = set()
            soft.add(str(requirement))
    return sorted(hard), sorted(soft)


def made_for(wheel: Wheel, package: str) -> list[str]:
    """Return what a wheel says elsewhere of the TensorFlow that it was made for."""
    if package in ("keras", "tf-keras"):
        major, minor = wheel.version.major, wheel.version.minor
        return (
            ["tensorflow>=2.16.1"]
            if major > 2
            else [f"tensorflow>=2.{minor},<2.{minor + 1}"]
            if minor > 5
            else []
        )
    if package == "tensorflow-probability":
        found = CHECK.search(wheel.text("tensorflow_probability/python/__init__.py"))
        return [f"tensorflow>={found[1]}"] if found else []
    if package == "tensorflow-io":
        rows = {row[1]: row for row in TABLE.finditer(wheel.text(f"{wheel.dist_info}/METADATA"))}
        found = rows.get(str(wheel.version))
        return [f"tensorflow=={found[2]}.*"] if found else []
    return []


def pythons(found: list[Offer], platform: str, arch: str) -> list[str] | None:
    """Return the Pythons of a release's wheels, "3.9+" for one of the stable ABI; None: any that METADATA allows."""
    here = [o for o in found if (o.target.platform, o.target.arch) in ((platform, arch), (None, None))]
    if any(re.search(r"-py[23.py]*-", o.file.name) for o in here):
        return None
    named = {p for o in here for p in o.target.pythons} | {f"{o.target.abi3}+" for o in here if o.target.abi3}
    return sorted(named, key=lambda p: [int(x) for x in p.rstrip("+").split(".")])


def read(index: Index, package: str) -> list[dict[str, Any]]:
    by_release: dict[Version, list[Offer]] = {}
    for offer in offers(index, package):
        if not offer.version.is_prerelease and offer.target.platform in (None, "linux", "windows"):
            by_release.setdefault(offer.version, []).append(offer)
    rows = []
    for version in sorted(by_release, reverse=True)[:MOST]:
        found = by_release[version]
        offer = min(found, key=lambda o: (o.target.platform == "windows", o.file.size or 0))
        try:
            with index.open(offer.file) as wheel:
                text = wheel.text(f"{wheel.dist_info}/METADATA")
                hard, soft = asks(re.findall(r"^Requires-Dist: *(.+?)\r?$", text, re.MULTILINE))
                soft = soft or made_for(wheel, package)
        except (Refused, KeyError) as refused:
            print(package, version, "not read:", refused, file=sys.stderr)
            continue
        needs = re.search(r"^Requires-Python: *(.+?)\r?$", text, re.MULTILINE)
        of_framework = any(Requirement(t).name in NAMES for t in hard)
        rows.append({
            "version": str(version), "python": needs[1] if needs else "", "wheels": [pythons(found, *p) for p in PLATFORMS],
            "asks": hard, "made_for": [] if of_framework else soft,
        })  # fmt: skip
    return rows


def pack(packages: dict[str, list[dict[str, Any]]], date: str) -> str:
    every = [row for rows in packages.values() for row in rows]
    lists = list(dict.fromkeys(tuple(p) for row in every for p in row["wheels"] if p is not None))
    texts = list(dict.fromkeys(tuple(row[k]) for row in every for k in ("asks", "made_for")))
    source = {
        "name": "METADATA and names of the wheels, read by range from PyPI",
        "date": date,
        "confidence": "high",
    }
    body = []
    for package, rows in sorted(packages.items()):
        lines = [
            json.dumps([
                r["version"], r["python"], [None if p is None else lists.index(tuple(p)) for p in r["wheels"]],
                texts.index(tuple(r["asks"])), texts.index(tuple(r["made_for"])),
            ])
            for r in rows
        ]  # fmt: skip
        body.append(f"{json.dumps(package)}: [\n" + ",\n".join(lines) + "\n]")
    listed = ",\n".join(json.dumps(t) for t in texts)
    return (
        f'{{"source": {json.dumps(source)},\n"platforms": {json.dumps(PLATFORMS)},\n"pythons": {json.dumps(lists)},\n'
        f'"asks": [\n{listed}\n],\n"columns": ["version", "python", "wheels", "asks", "made_for"],\n'
        f'"packages": {{\n' + ",\n".join(body) + "\n}}\n"
    )


def unpack() -> dict[str, list[dict[str, Any]]]:
    path = DATA / "beside.json"
    if not path.exists():
        return {}
    data = json.loads(path.read_text("utf-8"))
    return {
        package: [
            {
                "version": v, "python": p, "wheels": [None if n is None else data["pythons"][n] for n in w],
                "asks": data["asks"][a], "made_for": data["asks"][m],
            }
            for v, p, w, a, m in rows
        ]
        for package, rows in data["packages"].items()
    }  # fmt: skip


def main(date: str, names: list[str]) -> None:
    packages = unpack()
    index, client = connect(Session("en"), None)
    for package in names or PACKAGES:
        packages[package] = read(index, package)
        print(package, len(packages[package]), f"{client.fetched / 1e6:.1f} MB")
        (DATA / "beside.json").write_text(pack(packages, date), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
