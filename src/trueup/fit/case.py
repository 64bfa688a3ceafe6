"""A question with everything the rules look at, read once: the machine, the wish, the facts, the cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.fit.knowledge import capability_of, card_of
from trueup.fit.versions import number
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from packaging.version import Version

    from trueup.facts.model import Build, Capability, Flavour, Platform
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Route
    from trueup.fit.wish import Ask, Asked
    from trueup.machine.model import Gpu, Machine

Vendor = Literal["nvidia", "amd", "intel", "qualcomm", "other", "unknown"]

ROUTES: tuple[Route, ...] = ("windows-native", "wsl2", "linux", "directml", "cpu")
FLAVOUR: dict[Route, Flavour] = {
    "windows-native": "cuda",
    "wsl2": "cuda",
    "linux": "cuda",
    "directml": "directml",
    "cpu": "cpu",
}


@dataclass(frozen=True, slots=True)
class Card:
    """A card of the machine and what the facts know of it. Several `kinds`: chips that share the name."""

    name: str
    vendor: Vendor
    kinds: tuple[str, ...]  # capabilities, the likeliest first; empty: unknown
    rows: tuple[Capability, ...]
    tcc: bool = False  # a Windows driver mode in which WSL and DirectML cannot use the card

    @property
    def architecture(self) -> str | None:
        return self.rows[0].architecture if self.rows else None


@dataclass(frozen=True, slots=True)
class Case:
    machine: Machine
    asked: Asked
    facts: Knowledge
    cards: tuple[Card, ...] | Unknown

    @property
    def driver(self) -> Version | Unknown | None:
        """The NVIDIA driver: None where there is none, unknown where it was not read or makes no sense."""
        said = self.machine.driver
        if said is None or isinstance(said, Unknown):
            return said
        return number(said) or Unknown(_unreadable(said))

    @property
    def driver_platform(self) -> Platform:
        """Under WSL2 the driver is that of Windows."""
        return "windows" if self.machine.os in ("windows", "wsl2") else "linux"

    @property
    def arch(self) -> str:
        """The processor as builds name it; x86_64 where it is not known."""
        said = self.machine.arch
        if isinstance(said, Unknown):
            return "x86_64"
        return {"arm64": "aarch64", "amd64": "x86_64", "x64": "x86_64"}.get(said.lower(), said.lower())


@dataclass(frozen=True, slots=True)
class Candidate:
    """One framework's build on one route. What several frameworks do to each other is judged on tuples of it."""

    route: Route
    build: Build
    ask: Ask


def _unreadable(text: str) -> Message:
    return Message("fit.driver-unreadable", {"driver": text})


def read_cards(machine: Machine, facts: Knowledge) -> tuple[Card, ...] | Unknown:
    if isinstance(machine.gpus, Unknown):
        return machine.gpus
    return tuple(_card(gpu, facts) for gpu in machine.gpus)


def _card(gpu: Gpu, facts: Knowledge) -> Card:
    match = card_of(facts, gpu.name)
    known = not isinstance(gpu.capability, Unknown)
    kinds = (str(gpu.capability),) if known else match.capabilities
    vendor: Vendor = match.vendor
    if vendor == "unknown" and (known or gpu.vendor == "nvidia"):
        vendor = "nvidia"  # only CUDA speaks of capabilities
    rows = tuple(row for kind in kinds if (row := capability_of(facts, kind)))
    return Card(gpu.name, vendor, kinds, rows, gpu.model == "TCC")
