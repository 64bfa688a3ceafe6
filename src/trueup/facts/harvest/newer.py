"""Releases that the shipped facts do not know yet, as rows of the same tables.

What a wheel says is taken from the wheel; what no wheel says (which notes apply, what the NVIDIA wheels of
the same line hold) is taken over from the newest known release, and said with less confidence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trueup.facts.harvest.run import Offer

NVIDIA = re.compile(r"nvidia-|cuda-(toolkit|bindings)")
HARVESTED = "harvest.note"
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Known:
    """The tables as they are: rows of builds, newest release first, and the stacks that they name."""

    rows: tuple[Mapping[str, Any], ...]
    stacks: Mapping[str, Mapping[str, Any]]

    def packages(self) -> tuple[str, ...]:
        """Return the distributions that are asked for at the user's own index."""
        return tuple(dict.fromkeys(row["package"] for row in self.rows if not row.get("index")))

    def last_python(self) -> str:
        return max((p for row in self.rows for p in row["pythons"]), key=Version, default="3.13")

    def releases(self, package: str) -> tuple[Version, ...]:
        return tuple({Version(row["version"]) for row in self.rows if row["package"] == package})

    def _own(self, package: str) -> list[Mapping[str, Any]]:
        return [row for row in self.rows if row["package"] == package and not row.get("index")]

    def newest(self, package: str) -> list[Mapping[str, Any]]:
        """Return the builds of the newest known release of a package."""
        rows = self._own(package)
        last = max((Version(row["version"]) for row in rows), default=None)
        return [row for row in rows if Version(row["version"]) == last]

    def before(self, row: Row) -> Mapping[str, Any] | None:
        """Return the newest known build of the same package, platform and processor, of the same kind if any."""
        same = [
            k for k in self._own(row["package"]) if all(k[part] == row[part] for part in ("platform", "arch"))
        ]
        cuda = bool(row["build"] and row["build"]["is_cuda"])
        alike = [k for k in same if (self.stacks[k["stack"]]["flavour"] == "cuda") == cuda]
        return max(alike or same, key=lambda k: Version(k["version"]), default=None)


def unknown(offers: Iterable[Offer], releases: tuple[Version, ...]) -> Iterator[Offer]:
    """Yield the wheels of final releases that are newer than what is known, overall or within their line."""
    for offer in offers:
        version = offer.version
        line = [known for known in releases if known.release[:2] == version.release[:2]]
        newest = max(line or releases, default=None)
        if (
            not version.is_prerelease
            and (newest is None or version > newest)
            and _of_interest(offer, releases)
        ):
            yield offer


def _of_interest(offer: Offer, releases: tuple[Version, ...]) -> bool:
    """Leave out whole lines older than all that is known: they were left out on purpose."""
    oldest = min(releases, default=None)
    return offer.target.platform != "macos" and (oldest is None or offer.version > oldest)


def pythons(offers: Iterable[Offer], like: Row, newest: str) -> list[str]:
    """Return all Pythons that have a wheel of a row's release, platform and processor."""
    found: set[str] = set()
    for offer in offers:
        place = (str(offer.version), offer.target.platform, offer.target.arch)
        if place == (like["version"], like["platform"], like["arch"]) and not _free_threaded(offer):
            found |= set(offer.target.pythons)
            if offer.target.abi3:
                found |= _from(offer.target.abi3, newest)
    return sorted(found, key=Version)


def _free_threaded(offer: Offer) -> bool:
    return re.search(r"-cp\d+t-", offer.file.name) is not None


def _from(first: str, last: str) -> set[str]:
    return {f"3.{minor}" for minor in range(Version(first).minor, Version(last).minor + 1)}


def additions(rows: Iterable[Row], offers: tuple[Offer, ...], known: Known, date: str) -> dict[str, Any]:
    """Return builds, stacks and sources to put over the shipped ones."""
    made: dict[str, Any] = {"rows": [], "stacks": {}, "sources": {}}
    for row in rows:
        name = f"harvest-{row['file']}"
        made["sources"][name] = _source(row, date)
        if row["platform"]:
            before = known.before(row)
            stack = dict(known.stacks[before["stack"]]) if before else {}
            made["stacks"][name] = _stack(row, stack) | {"source": name}
            made["rows"].append(_built(row, name, stack, pythons(offers, row, known.last_python())))
        else:
            for before in known.newest(row["package"]):
                stack = dict(known.stacks[before["stack"]])
                made["stacks"][f"{name}-{before['stack']}"] = _stack(row, stack) | {"source": name}
                made["rows"].append(_pure(row, f"{name}-{before['stack']}", before))
    return made


def _built(row: Row, stack: str, before: Mapping[str, Any], found: list[str]) -> Row:
    return {
        **{key: row[key] for key in ("package", "version", "platform", "arch", "glibc")},
        "stack": stack,
        "pythons": found,
        "download_mb": round(row["size"] / 1e6) + before.get("extra_download_mb", 0),
        "disk_mb": round(row["unpacked"] / 1e6) + before.get("extra_disk_mb", 0),
    }


def _pure(row: Row, stack: str, before: Mapping[str, Any]) -> Row:
    """Return the row of a wheel for all systems, such as `jax`: what it stands for is as in the release before."""
    allowed = _specifier(row["metadata"]["requires_python"])
    found = [python for python in before["pythons"] if f"{python}.99" in allowed]
    return {**before, "version": row["version"], "stack": stack, "pythons": found}


def _specifier(text: str | None) -> SpecifierSet:
    try:
        return SpecifierSet(text or "")
    except InvalidSpecifier:
        return SpecifierSet()


def _source(row: Row, date: str) -> dict[str, str]:
    member = (row["build"] or row["metadata"])["member"]
    found = {"name": f"{row['file']}: {member}", "date": date, "confidence": "medium"}
    return found | ({"address": f"sha256:{row['sha256']}"} if row["sha256"] else {})


def _stack(row: Row, before: dict[str, Any]) -> dict[str, Any]:
    build = row["build"]
    notes = list(dict.fromkeys([*before.get("notes", ()), HARVESTED]))
    if build is None:
        return before | {"notes": notes} if before else _without_cuda(before, notes)
    if not build["is_cuda"]:
        return _without_cuda(before, notes)
    needs, extra = _nvidia(row)
    cudnn = _cudnn(needs) or build["cudnn"]
    same_line = _major(build["cuda"]) == _major(before.get("cuda"))
    same_line = same_line and (cudnn is None or _major(cudnn) == _major(before.get("cudnn")))
    kept = _kept(before, needs) if same_line else {"cpu_features": before.get("cpu_features", [])}
    stack = kept | {
        "flavour": "cuda",
        "cuda": build["cuda"],
        "cudnn": cudnn if cudnn and "." in cudnn else kept.get("cudnn", cudnn),
        "cuda_from": "dependency" if needs else kept.get("cuda_from", "system"),
        "sass": build["sass"] if build["sass"] is not None else kept.get("sass"),
        "ptx": build["ptx"] if build["ptx"] is not None else kept.get("ptx"),
        "notes": notes if same_line else [HARVESTED],
    }
    return stack | {"extra": extra} if extra else {k: v for k, v in stack.items() if k != "extra"}


def _kept(before: dict[str, Any], needs: Iterable[Requirement]) -> dict[str, Any]:
    """Return the stack without what contradicts the new release, such as a cap on cuDNN below its floor."""
    if "requirements" not in before:
        return before
    floors = [(need.name, floor) for need in needs if (floor := _floor(need))]
    wanted = [
        text
        for text in before["requirements"]
        if all(
            name != Requirement(text).name or floor in Requirement(text).specifier for name, floor in floors
        )
    ]
    return before | {"requirements": wanted}


def _floor(requirement: Requirement) -> str | None:
    """Return the least version that a requirement asks for."""
    floors = (s.version for s in requirement.specifier if s.operator in (">=", "==", "~="))
    return next((floor.removesuffix(".*") for floor in floors), None)


def _without_cuda(before: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    if before.get("flavour") == "cpu":
        return before | {"notes": notes}
    nothing: dict[str, Any] = {key: [] for key in ("sass", "ptx", "library_sass", "library_ptx")}
    return nothing | {
        "flavour": "cpu",
        "cuda": None,
        "cudnn": None,
        "cuda_from": "none",
        "cpu_features": before.get("cpu_features", []),
        "notes": [HARVESTED],
    }


def _major(version: str | None) -> int | None:
    return Version(version).major if version else None


def _nvidia(row: Row) -> tuple[list[Requirement], str | None]:
    """Return the NVIDIA wheels that METADATA asks for, and the extra that they stand behind, if any."""
    needs: list[Requirement] = []
    extras: set[str | None] = set()
    for text in row["metadata"]["requires"]:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            continue
        if NVIDIA.match(requirement.name):
            found = re.search(r"extra\s*==\s*[\"']([^\"']+)", str(requirement.marker or ""))
            needs.append(requirement)
            extras.add(found[1] if found else None)
    named = sorted(extra for extra in extras if extra)
    return needs, None if None in extras or not named else ",".join(named)


def _cudnn(needs: Iterable[Requirement]) -> str | None:
    """Return the least cuDNN that is asked for, two numbers."""
    for requirement in needs:
        floor = _floor(requirement)
        if requirement.name.startswith("nvidia-cudnn") and floor:
            return ".".join(floor.split(".")[:2])
    return None
