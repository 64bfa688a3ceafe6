"""What the solver asks of the facts, no more: tests answer it with a handful of rows."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.facts.model import Beside, Build, Capability, CardMatch, DriverFloor, Platform
    from trueup.values import Source


class Knowledge(Protocol):
    def __hash__(self) -> int: ...

    def frameworks(self) -> Sequence[str]: ...

    def framework_of(self, dist: str) -> str | None:
        """Return the framework that a distribution's name belongs to."""

    def builds(self, framework: str) -> Sequence[Build]:
        """Return all builds, newest first."""

    def driver_floor(self, cuda: str, platform: Platform) -> DriverFloor | None: ...

    def cuda_of_driver(self, driver: str, platform: Platform) -> str | None:
        """Return the newest CUDA that a driver knows."""

    def driver_branch(self, driver: str) -> int | None:
        """Return the branch of a driver: 470 for "474.30"."""

    def capability(self, capability: str) -> Capability | None: ...

    def requirement(self, name: str) -> tuple[str, Source]:
        """Return a single value such as "wsl2.windows-build"."""

    def card(self, name: str) -> CardMatch: ...

    def without_directx12(self, name: str) -> tuple[str, Source] | None:
        """Return which chip keeps a card from DirectX 12; None where nothing says so."""

    def metadata(self, package: str, version: str, platform: Platform) -> tuple[str, ...] | None:
        """Return what a release's METADATA asks for; None where it was not read."""

    def beside(self, package: str) -> Sequence[Beside]:
        """Return the known releases of a package beside frameworks, newest first."""


# A solve asks the same few look-ups for hundreds of builds.


@lru_cache(maxsize=512)
def capability_of(facts: Knowledge, kind: str) -> Capability | None:
    return facts.capability(kind)


@lru_cache(maxsize=128)
def required(facts: Knowledge, name: str) -> tuple[str, Source]:
    return facts.requirement(name)


@lru_cache(maxsize=4096)
def card_of(facts: Knowledge, name: str) -> CardMatch:
    return facts.card(name)


@lru_cache(maxsize=1024)
def branch_of(facts: Knowledge, driver: str) -> int | None:
    return facts.driver_branch(driver)


@lru_cache(maxsize=1024)
def cuda_of(facts: Knowledge, driver: str, platform: Platform) -> str | None:
    return facts.cuda_of_driver(driver, platform)
