"""A question with everything the rules look at, read once: the machine, the wish, the facts, the cards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from trueup.fit.knowledge import capability_of, card_of
from trueup.fit.versions import number
from trueup.machine.model import NOT_READ
from trueup.values import Unknown

if TYPE_CHECKING:
    from packaging.version import Version

    from trueup.facts.model import Build, Capability, Flavour, Platform
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Route
    from trueup.fit.wish import Ask, Asked
    from trueup.machine.model import Gpu, Machine

# CPython 3.9 and newer and the C runtime that TensorFlow's wheels import are part of Windows 10.
WINDOWS_10 = 10240
Vendor = Literal["nvidia", "amd", "intel", "qualcomm", "other", "unknown"]
VENDORS: tuple[Vendor, ...] = get_args(Vendor)

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
    """`driver` is NVIDIA's: None where there is none, unknown where it was not read or makes no sense.

    Under WSL2 it is that of Windows, hence `driver_platform`. `arch` is the processor as builds name it,
    x86_64 where it is not known. `windows` is the 22631 of "10.0.22631". `pythons` are the minors of the
    machine's 64-bit interpreters: a 32-bit one is of no use. `every` asks for every release, to explain it. `memo`
    holds what was found out of the packages beside a build, which a solve asks again and again.
    """

    machine: Machine
    asked: Asked
    facts: Knowledge
    cards: tuple[Card, ...] | Unknown
    driver: Version | Unknown | None
    driver_platform: Platform
    arch: str
    windows: int | None
    pythons: frozenset[str]
    every: bool
    memo: dict[object, object] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, slots=True)
class Candidate:
    """One framework's build on one route. What several frameworks do to each other is judged on tuples of it."""

    route: Route
    build: Build
    ask: Ask


def read_case(machine: Machine, asked: Asked, facts: Knowledge, *, every: bool = False) -> Case:
    return Case(
        machine=machine,
        asked=asked,
        facts=facts,
        cards=_cards(machine, facts),
        driver=_driver(machine),
        driver_platform="windows" if machine.os in ("windows", "wsl2") else "linux",
        arch=_arch(machine),
        windows=_windows(machine),
        pythons=_pythons(machine),
        every=every,
    )


def _driver(machine: Machine) -> Version | Unknown | None:
    said = machine.driver
    if said is None or isinstance(said, Unknown):
        return said
    return number(said) or NOT_READ


def _arch(machine: Machine) -> str:
    if isinstance(machine.arch, Unknown):
        return "x86_64"
    name = machine.arch.lower()
    return {"arm64": "aarch64", "amd64": "x86_64", "x64": "x86_64"}.get(name, name)


def _windows(machine: Machine) -> int | None:
    said = machine.os_build
    found = None if isinstance(said, Unknown) else number(said)
    if found is None:
        return None
    if len(found.release) == 1:  # "22631"
        return found.release[0]
    if found.release[0] < 10:  # 6.1.7601 is Windows 7: its builds share no scale with Windows 10
        return 0
    return found.release[2] if len(found.release) > 2 else WINDOWS_10


def _pythons(machine: Machine) -> frozenset[str]:
    if isinstance(machine.pythons, Unknown):
        return frozenset()
    return frozenset(".".join(p.version.split(".")[:2]) for p in machine.pythons if p.bits == 64)


def _cards(machine: Machine, facts: Knowledge) -> tuple[Card, ...] | Unknown:
    if isinstance(machine.gpus, Unknown):
        return machine.gpus
    return tuple(_card(gpu, facts) for gpu in machine.gpus)


def _card(gpu: Gpu, facts: Knowledge) -> Card:
    match = card_of(facts, gpu.name)
    known = not isinstance(gpu.capability, Unknown)
    kinds = (str(gpu.capability),) if known else match.capabilities
    vendor: Vendor = match.vendor
    if vendor == "unknown":  # the PCI bus may know it; only CUDA speaks of capabilities
        vendor = "nvidia" if known else next((v for v in VENDORS if v == gpu.vendor), "unknown")
    rows = tuple(row for kind in kinds if (row := capability_of(facts, kind)))
    return Card(gpu.name, vendor, kinds, rows, gpu.model == "TCC")
