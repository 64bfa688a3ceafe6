"""`trueup-bundle.json`: for which machines a bundle was made, and from which questions."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

from trueup.fit.model import ROUTES
from trueup.plan.request import Index, LockRequest
from trueup.setup.bundle import names
from trueup.setup.bundle.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trueup.fit.model import Route

NAME: Final = "trueup-bundle.json"
SCHEMA: Final = "trueup.bundle-manifest/1"


@dataclass(frozen=True, slots=True)
class Archive:
    """A Python of the bundle. `file` is its name in the bundle, `series` such as "3.10"."""

    series: str
    platform: str  # windows or linux
    arch: str
    file: str


@dataclass(frozen=True, slots=True)
class Target:
    """One machine that the bundle was made for. `lock` is the name of its lock in the bundle.

    `builds` are (framework, version), `served` the cards of the described machine that will work.
    """

    name: str
    route: Route
    wish: tuple[str, ...]
    builds: tuple[tuple[str, str], ...]
    packages: tuple[tuple[str, str], ...]
    question: LockRequest
    lock: str
    served: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    trueup: str
    made: str
    targets: tuple[Target, ...]
    pythons: tuple[Archive, ...] = ()


def platform_of(question: LockRequest) -> str:
    """Return the name of a target's folder of tools."""
    return f"{question.platform}-{question.arch}"


def write(folder: Path, manifest: Manifest) -> None:
    text = json.dumps({"schema": SCHEMA, **asdict(manifest)}, ensure_ascii=False, indent=1)
    (folder / NAME).write_bytes(text.encode() + b"\n")


def read(folder: Path) -> Manifest:
    """Return the manifest. Raises BundleError `bad-manifest`."""
    try:
        values = json.loads((folder / NAME).read_text("utf-8"))
        if values["schema"] != SCHEMA:
            raise BundleError("bad-manifest", what=str(values["schema"])[:80])
        targets = tuple(_target(value) for value in values["targets"])
        pythons = tuple(Archive(**value) for value in values["pythons"])
        manifest = Manifest(str(values["trueup"]), str(values["made"]), targets, pythons)
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise BundleError("bad-manifest", what=f"{type(error).__name__}: {error}"[:80]) from error
    for name in (*(target.lock for target in targets), *(python.file for python in pythons)):
        names.check(name)
    if not targets:
        raise BundleError("bad-manifest", what="targets")
    return manifest


def _target(value: Mapping[str, Any]) -> Target:
    question = dict(value["question"])
    question["indexes"] = tuple(Index(i["name"], i["url"], tuple(i["packages"])) for i in question["indexes"])
    for key in ("requirements", "constraints", "sdists"):
        question[key] = tuple(str(text) for text in question[key])
    if value["route"] not in ROUTES:
        raise ValueError(value["route"])
    return Target(
        name=str(value["name"]),
        route=value["route"],
        wish=tuple(str(text) for text in value["wish"]),
        builds=_pairs(value["builds"]),
        packages=_pairs(value["packages"]),
        question=LockRequest(**question),
        lock=str(value["lock"]),
        served=tuple(str(text) for text in value["served"]),
    )


def _pairs(value: Any) -> tuple[tuple[str, str], ...]:
    return tuple((str(first), str(second)) for first, second in value)
