"""The driver under a card: least number for a CUDA line, first and last branch for the card."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.version import Version

from trueup.fit.knowledge import branch_of, capability_of, required
from trueup.fit.reach import together
from trueup.fit.rules import changes
from trueup.fit.rules.verdict import HOLDS, change, no, unknown
from trueup.fit.versions import version
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.facts.model import Capability, Platform
    from trueup.fit.case import Candidate, Card, Case
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Route, Verdict
    from trueup.values import Param, Source


def carries(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Verdict:
    """Judge the driver by CUDA's minor-version compatibility; PTX must be known to the driver in full."""
    if card.vendor not in ("nvidia", "unknown"):
        return HOLDS
    row = capability_of(case.facts, kind) if kind else None
    jit = kind is not None and together(candidate.build, kind) == "ptx-jit"
    least, source = _least(
        case.facts, candidate.build.cuda, case.driver_platform, candidate.route, kind, jit=jit
    )
    if least is None:
        return HOLDS
    has, last = case.driver, row.last_driver_branch if row else None
    reachable = last is None or not _later(case, least, last)
    if reachable and isinstance(has, Version) and _enough(has, version(least), kind):
        return _too_new(case, has, row, card)
    build = candidate.build
    what: dict[str, Param] = {
        "framework": build.framework,
        "version": build.version,
        "cuda": build.cuda or "-",
    }
    if row and not reachable:
        branch: dict[str, Param] = {"card": card.name, "branch": last or 0, "architecture": row.architecture}
        return no("driver-floor", "driver-unreachable", row.source, **what, least=least, **branch)
    if has is None:
        to = changes.install_driver(least, case.machine.os)
        return change("driver-missing", "driver-missing", to, source, **what, least=least, card=card.name)
    if isinstance(has, Unknown):
        return _not_known(case, least, source)
    if row and row.first_driver_branch and has.major < row.first_driver_branch:
        return _older_than_card(case, least, card, row)
    of_wsl = candidate.route == "wsl2" and least == required(case.facts, "wsl2.driver")[0]
    code, said = "driver-too-old-wsl" if of_wsl else "driver-too-old", str(case.machine.driver)
    to = changes.update_driver(least)
    return change("driver-floor", code, to, source, **what, least=least, has=said)


# Drivers of boards count apart: the first of a branch is 580.00 there, and comes with the CUDA of the branch.
_BOARDS = ("11.0",)


def _enough(has: Version, least: Version, kind: str | None) -> bool:
    return has.major >= least.major if kind in _BOARDS else has >= least


def _not_known(case: Case, least: str, source: Source | None) -> Verdict:
    said = case.machine.driver
    if isinstance(said, str):
        return unknown("driver-missing", "assume-driver-unreadable", source, least=least, driver=said)
    return unknown("driver-missing", "assume-driver", source, least=least)


def directml_driver(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Verdict:  # noqa: ARG001
    """DirectML needs a display driver too; only NVIDIA's number is on record."""
    if card.vendor != "nvidia":
        return unknown("driver-missing", "assume-directx-driver", card=card.name)
    row = capability_of(case.facts, kind) if kind else None
    has, first = case.driver, str(row.first_driver_branch) if row and row.first_driver_branch else None
    if has is None:
        to = changes.install_driver(first or "460", case.machine.os)
        return change("driver-missing", "driver-missing-directml", to, card=card.name)
    if isinstance(has, Unknown):
        return unknown("driver-missing", "assume-directx-driver", card=card.name)
    if first and has < version(first):
        return _older_than_card(case, first, card, row)
    return _too_new(case, has, row, card)


@lru_cache(maxsize=2048)
def _least(
    facts: Knowledge, cuda: str | None, platform: Platform, route: Route, kind: str | None, *, jit: bool
) -> tuple[str | None, Source | None]:
    """Return the least driver: the CUDA line's, the card's first branch, WSL's, whichever is highest."""
    floor = facts.driver_floor(cuda, platform) if cuda else None
    row = capability_of(facts, kind) if kind else None
    options: list[tuple[str, Source | None]] = []
    if floor:
        said = (floor.full or floor.minor_compatible) if jit else (floor.minor_compatible or floor.full)
        options += [(said, floor.source)] if said else []
    if row and row.first_driver_branch:
        options.append((str(row.first_driver_branch), row.source))
    if route == "wsl2":
        options.append(required(facts, "wsl2.driver"))
    return max(options, key=lambda option: version(option[0]), default=(None, None))


def _older_than_card(case: Case, least: str, card: Card, row: Capability | None) -> Verdict:
    what = {"card": card.name, "least": least, "has": str(case.machine.driver)}
    return change(
        "driver-floor-card",
        "driver-older-than-card",
        changes.update_driver(least),
        row.source if row else None,
        **what,
    )


def _too_new(case: Case, has: Version, row: Capability | None, card: Card) -> Verdict:
    if row is None or not row.last_driver_branch or not _later(case, str(has), row.last_driver_branch):
        return HOLDS
    branch, said = row.last_driver_branch, str(case.machine.driver)
    to = changes.other_driver(branch)
    return change("driver-too-new", "driver-too-new", to, row.source, card=card.name, branch=branch, has=said)


def _later(case: Case, driver: str, last: int) -> bool:
    """Say whether a driver is of a later branch: 474.30 still belongs to branch 470."""
    branch = branch_of(case.facts, driver)
    return branch is not None and branch > last
