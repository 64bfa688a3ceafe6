"""Harvests: a folder of wheels, or releases on an index, to a document whose bytes depend on the wheels only."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import Version

from trueup.facts.harvest.readers.tags import Target, target
from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.rows import row_of
from trueup.facts.harvest.wheel import open_wheel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from trueup.facts.harvest.index import Index, IndexFile

SCHEMA = "trueup.harvest/1"


class Offer(NamedTuple):
    """A wheel on an index, with what its name says."""

    file: IndexFile
    version: Version
    target: Target


class Outcome(NamedTuple):
    """Rows of the wheels that could be read, and the refusals of the others."""

    rows: list[dict[str, Any]]
    refused: list[Refused]


def from_folder(folder: Path, *, deep: bool, tell: Callable[[str], None]) -> Outcome:
    """Read all wheels of a folder, one after the other."""
    files = sorted(folder.glob("*.whl")) if folder.is_dir() else [folder] if folder.is_file() else []
    if not files:
        raise Refused("no-folder", str(folder))
    outcome = Outcome([], [])
    for path in files:
        tell(path.name)
        try:
            with open_wheel(path.open("rb"), path.name, None) as wheel:
                outcome.rows.append(row_of(wheel, deep=deep))
        except Refused as refused:
            outcome.refused.append(refused)
    return outcome


def from_index(index: Index, offers: Iterable[Offer], *, deep: bool, tell: Callable[[str], None]) -> Outcome:
    """Read the offered wheels of an index."""
    outcome = Outcome([], [])
    for offer in offers:
        tell(offer.file.name)
        try:
            with index.open(offer.file) as wheel:
                outcome.rows.append(row_of(wheel, deep=deep))
        except Refused as refused:
            outcome.refused.append(refused)
    return outcome


def offers(index: Index, project: str) -> tuple[Offer, ...]:
    """Return a project's wheels, oldest release first; yanked files and odd names are left out."""
    found = []
    for file in index.wheels(project):
        try:
            _, version, _, tags = parse_wheel_filename(file.name)
        except InvalidWheelFilename:
            continue
        if not file.yanked:
            found.append(Offer(file, version, target(tags)))
    return tuple(sorted(found, key=lambda offer: (offer.version, offer.file.name)))


def asked(index: Index, text: str) -> tuple[Offer, ...]:
    """Return the wheels for `PACKAGE` (its newest final release) or `PACKAGE==VERSION` and other specifiers."""
    try:
        wish = Requirement(text)
    except InvalidRequirement as error:
        raise Refused("no-release", text) from error
    all_ = offers(index, wish.name)
    if wish.specifier:
        found = [offer for offer in all_ if wish.specifier.contains(offer.version)]
    else:
        newest = max((o.version for o in all_ if not o.version.is_prerelease), default=None)
        found = [offer for offer in all_ if offer.version == newest]
    if not found:
        raise Refused("no-release", text)
    return tuple(found)


def one_each(found: Iterable[Offer]) -> Iterator[Offer]:
    """Yield one wheel for each release, platform and processor: the one for the newest Python."""
    best: dict[tuple[Version, str | None, str | None], Offer] = {}
    for offer in found:
        key = (offer.version, offer.target.platform, offer.target.arch)
        if key not in best or _newness(offer) > _newness(best[key]):
            best[key] = offer
    yield from best.values()


def _newness(offer: Offer) -> tuple[list[int], str]:
    newest = max(([int(n) for n in p.split(".")] for p in offer.target.pythons), default=[])
    return newest, offer.file.name


def document(rows: Iterable[dict[str, Any]]) -> str:
    """Return the JSON of a harvest: rows by package, version and file, one key order."""
    ordered = sorted(rows, key=lambda row: (row["package"], Version(row["version"]), row["file"]))
    return (
        json.dumps({"schema": SCHEMA, "rows": ordered}, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    )
