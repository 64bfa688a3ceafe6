"""Constraints without which an old release breaks with what the index serves today.

`data/caps.json` holds rows that were measured by installing, `data/caps_known.json` rows from documents; matching their specifiers against every release
costs more than all other loading, so `data/caps_by_release.json` holds the result, made by `by_release`.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from trueup.facts.store import table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def rows() -> list[Mapping[str, Any]]:
    """Return all rows, those from documents first."""
    return [*table("caps_known")["rows"], *table("caps")["rows"]]


def of(package: str, version: str) -> tuple[str, ...]:
    """Return the constraints of a shipped release."""
    sets, releases = _sets()
    return sets[releases.get(package, _NONE).get(version, 0)]


_NONE: Mapping[str, int] = {}


@functools.cache
def _sets() -> tuple[list[tuple[str, ...]], Mapping[str, Mapping[str, int]]]:
    made = table("caps_by_release")
    return [tuple(s) for s in made["sets"]], made["releases"]


def computed(
    framework: str, package: str, version: str, rows: Iterable[Mapping[str, Any]]
) -> tuple[str, ...]:
    """Return the constraints that rows put on a release; a row names a distribution or a whole framework."""
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415  # only for tables that are newer than the shipped ones

    found = (
        _constraint(row)
        for row in rows
        if row["package"] in (package, framework)
        and SpecifierSet(row["versions"], prereleases=True).contains(version)
    )
    return tuple(dict.fromkeys(found))


def _constraint(row: Mapping[str, Any]) -> str:
    """Return the PEP 508 text; a row for some Pythons only becomes one with a marker."""
    if not row.get("python"):
        return str(row["constraint"])
    markers = (f"python_version {_marker(part.strip())}" for part in str(row["python"]).split(","))
    return f"{row['constraint']}; {' and '.join(markers)}"


def _marker(specifier: str) -> str:
    operator = specifier.rstrip("0123456789.*")
    return f'{operator} "{specifier[len(operator) :]}"'


def by_release(
    releases: Mapping[str, Iterable[tuple[str, str]]], rows: list[Mapping[str, Any]]
) -> dict[str, Any]:
    """Return the precomputed table for (package, version) pairs by framework; its first set is the empty one."""
    sets: list[tuple[str, ...]] = [()]
    made: dict[str, dict[str, int]] = {}
    for framework, pairs in releases.items():
        for package, version in pairs:
            texts = computed(framework, package, version, rows)
            if texts not in sets:
                sets.append(texts)
            if texts:
                made.setdefault(package, {})[version] = sets.index(texts)
    return {"sets": sets, "releases": made}
