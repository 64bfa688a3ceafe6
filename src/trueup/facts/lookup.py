"""What a person asks the tables, answered as plain data: the `trueup.facts/1` document."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.facts.catalog import Facts
    from trueup.facts.model import Build, DriverFloor

Answer = dict[str, Any]
SCHEMA = "trueup.facts/1"
OSES = ("windows", "linux")


def overview(facts: Facts) -> Answer:
    """Every framework, its newest release and how many builds are known."""
    rows = []
    for framework in facts.frameworks():
        builds = facts.builds(framework)
        cuda = next((b.version for b in builds if b.flavour == "cuda"), None)
        rows.append({
            "framework": framework, "newest": builds[0].version if builds else None, "newest_cuda": cuda,
            "builds": len(builds), "packages": list(facts.distributions(framework)), "date": max((b.source.date for b in builds), default=None),
        })  # fmt: skip
    return {"schema": SCHEMA, "about": "frameworks", "frameworks": rows}


def release(facts: Facts, name: str, version: str | None, os: str | None = None) -> Answer:
    """Return the builds of a release, of the newest patch of a line such as "2.10", or of the newest release."""
    framework, builds = _builds(facts, name, os)
    if version is None:
        version = builds[0].version
    wanted = _version(version)
    known = [b for b in builds if _within(Version(b.version), wanted)]
    if not known:
        near = ", ".join(dict.fromkeys(".".join(b.version.split(".")[:2]) for b in builds))
        raise TrueupError(
            Message("facts.no-release", {"name": name, "version": version}),
            Message("facts.releases", {"versions": near}),
        )
    known.sort(key=lambda b: b.package != name)
    shown: dict[tuple[str | None, ...], Build] = {}
    for build in known:
        major = build.cuda.split(".")[0] if build.cuda and not build.index else build.cuda
        shown.setdefault(
            (build.package, build.platform, build.arch, build.flavour, build.index, major), build
        )
    return {
        "schema": SCHEMA, "about": "release", "framework": framework, "asked": f"{name} {version}",
        "releases": list(dict.fromkeys(b.version for b in known)),
        "builds": [build_of(facts, b) for b in shown.values()],
    }  # fmt: skip


def library(facts: Facts, project: str, version: str | None) -> Answer:
    """Return the wheels of NVIDIA's or Microsoft's libraries: versions by system, and the files of those read."""
    from packaging.utils import parse_wheel_filename  # noqa: PLC0415  # slow, and no other look-up needs it

    found = facts.wheels(project)
    if found is None:
        raise _no_framework(facts, project)
    names, origin = found
    wanted = _version(version) if version else None
    versions: dict[str, list[str]] = {os: [] for os in OSES}
    for name in names:
        _, number, _, tags = parse_wheel_filename(name)
        os = "windows" if any(t.platform.startswith("win") for t in tags) else "linux"
        if (wanted is None or _within(number, wanted)) and str(number) not in versions[os]:
            versions[os].append(str(number))
    if not any(versions.values()):
        raise TrueupError(
            Message("facts.no-release", {"name": project, "version": str(version)}),
            Message("facts.see-all", {"name": project}),
        )
    read = [w for w in facts.library_wheels(project) if wanted is None or _within(Version(w.version), wanted)]
    return {
        "schema": SCHEMA, "about": "library", "asked": project, "versions": versions, "source": asdict(origin),
        "wheels": [asdict(w) for w in read],
    }  # fmt: skip


def matrix(facts: Facts, name: str, os: str | None = None) -> Answer:
    """One row a release, platform and flavour."""
    framework, builds = _builds(facts, name, os)
    rows = [build_of(facts, b, asks=False) for b in builds if b.flavour != "cpu" or b.package == framework]
    return {"schema": SCHEMA, "about": "matrix", "framework": framework, "asked": name, "builds": rows}


def gpu(facts: Facts, name: str) -> Answer:
    """Return what a product name says."""
    if not name.strip():
        raise TrueupError(Message("facts.no-card-name"), Message("facts.card-name-hint"))
    card = facts.card(name)
    known = [c for kind in card.capabilities if (c := facts.capability(kind))]
    return {
        "schema": SCHEMA, "about": "gpu", "asked": name, "name": card.name, "vendor": card.vendor,
        "ambiguous": len(card.capabilities) > 1, "architecture": card.architecture,
        "capabilities": [asdict(c) for c in known], "source": asdict(card.source) if card.source else None,
    }  # fmt: skip


def driver(facts: Facts, number: str) -> Answer:
    """Return what a driver can run: per system, every CUDA line it reaches."""
    wanted = _version(number)
    lines = [_reach(floor, wanted) for floor in facts.driver_floors()]
    branch = facts.driver_branch(number) or 0
    out = [
        c.capability
        for c in facts.capabilities()
        if _outside(branch, c.first_driver_branch, c.last_driver_branch)
    ]
    return {
        "schema": SCHEMA, "about": "driver", "asked": number, "branch": branch, "cuda": facts.cuda_of_driver(number),
        "lines": [line for line in lines if line["reach"] != "none"], "capabilities_without": out,
    }  # fmt: skip


def cuda(facts: Facts, line: str) -> Answer:
    """Return the drivers that a CUDA line needs, the cards it makes code for and the builds made with it."""
    wanted = _version(line)
    short = ".".join(line.split(".")[:2])
    floors = [f for f in facts.driver_floors() if f.cuda == short]
    if not floors:
        near = ", ".join(dict.fromkeys(f.cuda for f in facts.driver_floors()))
        raise TrueupError(
            Message("facts.no-cuda", {"version": line}), Message("facts.known-cuda", {"versions": near})
        )
    targets = [c.capability for c in facts.capabilities() if _targets(c.first_cuda, c.last_cuda, wanted)]
    made = [b for f in facts.frameworks() for b in facts.builds(f) if b.cuda == short]
    builds: dict[tuple[str, str], list[str]] = {}
    for build in made:
        builds.setdefault((build.package, build.platform), []).append(build.version)
    return {
        "schema": SCHEMA, "about": "cuda", "asked": line, "floors": [asdict(f) for f in floors], "capabilities": targets,
        "builds": [{"package": p, "platform": o, "versions": list(dict.fromkeys(v))} for (p, o), v in builds.items()],
    }  # fmt: skip


def build_of(facts: Facts, build: Build, *, asks: bool = True) -> Answer:
    """Return a build with the driver that it needs and, where it `asks`, what its METADATA does."""
    made = asdict(build)
    made["cuda_from"] = build.cuda_from.value
    found = facts.driver_floor(build.cuda, build.platform) if build.cuda else None
    made["driver"] = (
        {"minor_compatible": found.minor_compatible, "full": found.full, "source": asdict(found.source)}
        if found
        else None
    )
    asked = facts.metadata(build.package, build.version, build.platform) if asks and not build.index else None
    made["metadata"] = None if asked is None else list(asked)
    return made


def sources(answer: Answer) -> list[Answer]:
    """Return every source that an answer rests on, each once."""
    found: dict[tuple[str, str], Any] = {}
    stack: list[Any] = [answer]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            if {"name", "date", "confidence"} <= value.keys():
                found.setdefault((value["name"], value["date"]), value)
            stack += value.values()
        elif isinstance(value, (list, tuple)):
            stack += value
    return [found[key] for key in sorted(found)]


def _builds(facts: Facts, name: str, os: str | None) -> tuple[str, list[Build]]:
    framework = facts.framework_of(name)
    if framework is None:
        raise _no_framework(facts, name)
    own = name != framework
    builds = [b for b in facts.builds(framework) if os in (None, b.platform) and (not own or _names(b, name))]
    if not builds:
        raise TrueupError(
            Message("facts.no-builds", {"name": name}),
            Message("facts.known-frameworks", {"names": framework}),
        )
    return framework, builds


def _no_framework(facts: Facts, name: str) -> TrueupError:
    known = ", ".join(facts.frameworks())
    return TrueupError(
        Message("facts.no-framework", {"name": name}), Message("facts.known-frameworks", {"names": known})
    )


def _names(build: Build, name: str) -> bool:
    return build.package == name or any(r.startswith(f"{name}==") for r in build.requirements)


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        raise TrueupError(
            Message("facts.bad-version", {"text": text}), Message("facts.version-hint")
        ) from None


def _within(version: Version, line: Version) -> bool:
    return version == line or version.release[: len(line.release)] == line.release


def _reach(floor: DriverFloor, number: Version) -> Answer:
    enough = {
        "full": bool(floor.full) and number >= Version(floor.full or "0"),
        "minor": bool(floor.minor_compatible) and number >= Version(floor.minor_compatible or "0"),
    }
    reach = "full" if enough["full"] else "minor" if enough["minor"] else "none"
    return {"cuda": floor.cuda, "os": floor.os, "reach": reach, "source": asdict(floor.source)}


def _outside(branch: int, first: int | None, last: int | None) -> bool:
    return (first is not None and branch < first) or (last is not None and branch > last)


def _targets(first: str | None, last: str | None, line: Version) -> bool:
    return first is not None and Version(first) <= line and (last is None or line <= Version(last))
