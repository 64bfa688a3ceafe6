"""The shipped facts on libraries: who loads what by name, and what is there without our doing."""

from __future__ import annotations

from fnmatch import fnmatchcase
from functools import cache
from typing import TYPE_CHECKING, Any

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from trueup.facts.store import source, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts.model import Platform
    from trueup.proof.closure.model import Place, Target
    from trueup.values import Source

VC_RUNTIME = ("msvcp140*.dll", "vcruntime140*.dll", "concrt140.dll", "vccorlib140.dll", "vcomp140.dll")


class Wanted:
    """What a framework or a file loads by name. `features` are (feature, name): without them one thing is lost."""

    def __init__(self, row: dict[str, Any]) -> None:
        self.needed: tuple[str, ...] = (
            *row.get("at_import", ()),
            *row.get("driver", ()),
            *row.get("loads", ()),
        )
        self.features: tuple[tuple[str, str], ...] = tuple(
            (feature, name) for feature, names in row.get("features", {}).items() for name in names
        )


def of_framework(framework: str, version: str, os: Platform) -> tuple[Wanted, Source] | None:
    """Return the names that a release loads; None where nobody looked."""
    data = table("loads")
    for row in data["frameworks"]:
        same = (row["framework"], row["os"]) == (framework, os)
        if same and SpecifierSet(row["versions"]).contains(version, prereleases=True):
            return Wanted(row), source(data["sources"], row["source"])
    return None


def of_file(base: str) -> Wanted | None:
    return _by_file().get(base.lower())


@cache
def _by_file() -> dict[str, Wanted]:
    return {row["file"].lower(): Wanted(row) for row in table("loads")["files"]}


def feature_of(base: str) -> str | None:
    """Return the one feature that a file serves; None where the framework itself does not go without it."""
    for feature, patterns in table("loads")["only_for"].items():
        if any(fnmatchcase(base.lower(), pattern) for pattern in patterns):
            return str(feature)
    return None


class Present:
    """What an operating system, Python and the driver bring."""

    def __init__(self, target: Target) -> None:
        self._fold = target.os == "windows"
        self._names: dict[str, Place] = {}
        self._patterns: list[tuple[str, Place]] = []
        for group, row in table("system_libraries")[target.os].items():
            place: Place = "driver" if group == "driver" else "python" if group == "python" else "system"
            self._names |= dict.fromkeys(row["names"], place)
            self._patterns += [(pattern, place) for pattern in row["patterns"]]
        if target.python and Version(target.python) < Version("3.9"):
            self._names.pop("vcruntime140_1.dll", None)  # came with 3.9
        if target.system_runtime and self._fold:
            self._patterns += [(pattern, "system") for pattern in VC_RUNTIME]

    def place(self, name: str) -> Place | None:
        key = name.lower() if self._fold else name
        return self._names.get(key) or next(self._matching(key), None)

    def _matching(self, key: str) -> Iterator[Place]:
        return (place for pattern, place in self._patterns if fnmatchcase(key, pattern))
