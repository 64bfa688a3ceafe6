"""The one face of the tables: what the solver and the command line ask."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from trueup.facts import beside, builds, caps, cards, cudnn, directx, drivers, own
from trueup.facts.model import (
    Beside,
    Build,
    Capability,
    CardMatch,
    Cudnn,
    DriverFloor,
    LibraryWheel,
    Platform,
)
from trueup.facts.store import exists, source, table, uncollected

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.values import Source


class Facts:
    """Look-ups over the shipped tables and, where given, a folder with newer builds of the user's own."""

    def __init__(self, overlay: Path | None = None) -> None:
        self._overlay = overlay
        self._builds: dict[str, tuple[Build, ...]] = {}
        self._capabilities: dict[str, Capability] | None = None
        self._metadata: dict[tuple[str, str, str], tuple[str, ...]] | None = None

    def frameworks(self) -> tuple[str, ...]:
        return tuple(table("frameworks")["frameworks"])

    def distributions(self, framework: str) -> tuple[str, ...]:
        return tuple(table("frameworks")["frameworks"][framework])

    def framework_of(self, distribution: str) -> str | None:
        """Return the framework that a distribution is a build of; None for anything else."""
        name = re.sub(r"[-_.]+", "-", distribution).lower()
        known = table("frameworks")["frameworks"]
        return next((framework for framework, names in known.items() if name in names), None)

    def builds(self, framework: str) -> tuple[Build, ...]:
        """Return all builds of a framework, newest release first; none where the framework is unknown."""
        if framework not in self._builds:
            with uncollected():
                self._builds[framework] = self._newer(framework) + self._shipped(framework)
        return self._builds[framework]

    def _shipped(self, framework: str) -> tuple[Build, ...]:
        if not exists(f"builds/{framework}"):
            return ()
        return builds.read(framework, table(f"builds/{framework}"), table("stacks"), caps.of)

    def _newer(self, framework: str) -> tuple[Build, ...]:
        data = own.read(self._overlay, framework) if self._overlay else {}
        if not data.get("rows"):
            return ()
        data = {**data, **builds.pack(data["rows"])}
        known = {**table("stacks"), "stacks": {**table("stacks")["stacks"], **self._stacks(framework)}}
        rows = caps.rows()
        return builds.read(framework, data, known, lambda p, v: caps.computed(framework, p, v, rows))

    @staticmethod
    def _stacks(framework: str) -> Any:
        return table(f"builds/{framework}")["stacks"] if exists(f"builds/{framework}") else {}

    def driver_floor(self, cuda: str, platform: Platform) -> DriverFloor | None:
        return drivers.floor(cuda, platform)

    def driver_floors(self) -> tuple[DriverFloor, ...]:
        return drivers.floors()

    def cuda_of_driver(self, driver: str, platform: Platform | None = None) -> str | None:  # noqa: ARG002  # one numbering serves both
        """Return the newest CUDA whose PTX a driver can compile; a branch newer than the table counts as the newest."""
        return drivers.cuda_of(driver)

    def driver_branch(self, driver: str) -> int | None:
        """Return the branch to compare with a capability's first and last branch: 470 for "474.30"."""
        return drivers.branch(driver)

    def capabilities(self) -> tuple[Capability, ...]:
        return tuple(self._by_capability().values())

    def capability(self, capability: str) -> Capability | None:
        return self._by_capability().get(capability)

    def _by_capability(self) -> dict[str, Capability]:
        if self._capabilities is None:
            data = table("capabilities")
            self._capabilities = {
                cc: Capability(
                    cc, name, first, last, last_branch, first_branch, source(data["sources"], *origin)
                )
                for cc, name, first, last, first_branch, last_branch, *origin in data["rows"]
            }
        return self._capabilities

    def card(self, name: str) -> CardMatch:
        return cards.match(name)

    def without_directx12(self, name: str) -> tuple[str, Source] | None:
        """Return which chip keeps a card of Intel or AMD from DirectX 12, and the source; None where nothing says so."""
        return directx.too_old(name)

    def cudnn(self, version: str, cuda: str) -> Cudnn | None:
        """Return what is known of a cuDNN ("8.9.5.29", "8.9") for a CUDA line; None where no such pair exists."""
        return cudnn.of(version, cuda)

    def library_wheels(self, project: str) -> tuple[LibraryWheel, ...]:
        """Return what was read of a project such as nvidia-cudnn-cu11, oldest first; the versions that builds pin."""
        data = table("nvidia")
        origin = source({"wheels": data["source"]}, "wheels")
        return tuple(
            LibraryWheel(name, version, platform, arch, download, unpacked, tuple(libraries), origin)
            for name, version, platform, arch, download, unpacked, libraries in data["rows"]
            if name == project
        )

    def metadata(self, package: str, version: str, platform: Platform) -> tuple[str, ...] | None:
        """Return what a release's own METADATA asks for, where it matters (x86_64); None where it was not read."""
        if self._metadata is None:
            data = table("metadata")
            lists = [tuple(texts) for texts in data["lists"]]
            self._metadata = {(name, v, os): lists[asked] for name, v, os, _, asked in data["rows"]}
        return self._metadata.get((package, version, platform))

    def beside(self, package: str) -> tuple[Beside, ...]:
        """Return the releases of a package that is wanted beside frameworks, newest first; none: not read."""
        return beside.releases(package)

    def wheels(self, project: str) -> tuple[tuple[str, ...], Source] | None:
        """Return the file names that PyPI served for a project, oldest first; None where it was not read."""
        if not exists(f"wheels/{project}"):
            return None
        data = table(f"wheels/{project}")
        return tuple(row[0] for row in data["files"]), source({"list": data["source"]}, "list")

    def card_of_pci(self, vendor: int, device: int) -> CardMatch:
        """Return the card behind a PCI id, for a machine without a driver that could name it."""
        return cards.of_pci(vendor, device)

    def requirement(self, name: str) -> tuple[str, Source]:
        """Return a single value such as "wsl2.windows-build"; KeyError for an unknown name."""
        data = table("requirements")
        for id_, value, *origin in data["rows"]:
            if id_ == name:
                return value, source(data["sources"], *origin)
        raise KeyError(name)


@functools.cache
def load(overlay: Path | None = None) -> Facts:
    """Return the facts; nothing is read before it is asked for. `overlay`: folder with FRAMEWORK.json files."""
    return Facts(overlay)
