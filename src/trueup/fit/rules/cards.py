"""May a card run a build's code, and does its driver carry it? One card at a time, then all of a machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.fit.knowledge import capability_of, required
from trueup.fit.model import Outcome
from trueup.fit.reach import reach, together
from trueup.fit.rules import changes
from trueup.fit.rules.driver import carries, directml_driver
from trueup.fit.rules.verdict import HOLDS, change, no, unknown
from trueup.fit.unique import unique
from trueup.fit.versions import capability
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.facts.model import Build
    from trueup.fit.case import Candidate, Card, Case
    from trueup.fit.model import Kernels, Verdict

SEVERITY = {Outcome.OK: 0, Outcome.UNKNOWN: 1, Outcome.CHANGE: 2, Outcome.NO: 3}
_NICE: dict[Kernels, int] = {"native": 0, "ptx-jit": 1, "unknown": 2, "none": 3}
_DIRECTX12 = ("nvidia", "amd", "intel", "qualcomm")
# The plug-in's README lists GTX 900 and newer; DirectX 12 itself begins with Fermi.
_DIRECTML_LISTED, _FERMI = (5, 0), (2, 0)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules say of one card under one candidate."""

    card: Card
    verdicts: tuple[Verdict, ...]
    kernels: Kernels
    severity: int


@dataclass(frozen=True, slots=True)
class Served:
    """What the rules say of all cards: the verdicts of those that are served, or of the nearest one."""

    verdicts: tuple[Verdict, ...]
    kernels: Kernels
    served: tuple[Card, ...] = ()
    not_served: tuple[Judged, ...] = ()

    @property
    def leaves_the_strongest(self) -> bool:
        """Say whether a card of a higher capability than any that is served stays unused."""
        served = [capability(kind) for card in self.served for kind in card.kinds]
        left = [capability(kind) for judged in self.not_served for kind in judged.card.kinds]
        return bool(served) and bool(left) and max(left) > max(served)


def kernels_of(build: Build, kind: str | None) -> Kernels:
    if kind is None:
        return "unknown"
    return together(build, kind)


def vendor(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Verdict:  # noqa: ARG001
    if card.vendor == "nvidia" or (card.vendor == "unknown" and isinstance(case.machine.driver, str)):
        return HOLDS
    if card.vendor == "unknown":
        return change("card-unknown", "card-unknown", changes.find_card(), card=card.name)
    return no("card-not-nvidia", "card-not-nvidia", card=card.name, framework=candidate.build.framework)


def code(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Verdict:
    build = candidate.build
    if card.vendor not in ("nvidia", "unknown"):
        return HOLDS
    if kind is None:
        return change("card-unknown", "card-unknown", changes.find_card(), card=card.name)
    own, libraries = reach(build.code, kind), reach(build.library_code, kind)
    if own == "none":
        lists = {"sass": _list(build.code.sass), "ptx": _list(build.code.ptx)}
        return no("arch-no-code", "arch-no-code", build.source, **_what(build, card, kind), **lists)
    if libraries == "none":
        lists = {
            "sass": _list(build.library_code.sass),
            "cuda": build.cuda or "-",
            "cudnn": build.cudnn or "-",
        }
        return no(
            "arch-no-code-libraries",
            "arch-no-code-libraries",
            build.source,
            **_what(build, card, kind),
            **lists,
        )
    row = capability_of(case.facts, kind) if libraries == "unknown" else None
    if row and row.first_cuda and build.cuda and capability(build.cuda) < capability(row.first_cuda):
        cuda = {"cuda": build.cuda, "first": row.first_cuda}
        return no(
            "arch-no-code-libraries", "arch-older-toolkit", row.source, **_what(build, card, kind), **cuda
        )
    if own == "unknown":
        return unknown("arch-no-code", "assume-code", build.source, **_what(build, card, kind))
    return HOLDS


def _what(build: Build, card: Card, kind: str) -> dict[str, str]:
    return {"framework": build.framework, "version": build.version, "card": card.name, "capability": kind}


def _list(capabilities: tuple[str, ...]) -> str:
    return ", ".join(capabilities) or "-"


def wsl_card(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Verdict:
    if candidate.route != "wsl2" or card.vendor != "nvidia":
        return HOLDS
    if card.tcc:
        return change("wsl-not-ready", "wsl-tcc", changes.leave_tcc(), card=card.name)
    if case.machine.os == "windows" and case.arch == "aarch64":
        return unknown("wsl-card", "assume-wsl-arm", card=card.name)
    least, source = required(case.facts, "wsl2.capability")
    if kind and capability(kind) < capability(least):
        return unknown("wsl-card", "assume-wsl-card", source, card=card.name)
    return HOLDS


# "GRID T4-2B", "NVIDIA A40-8A": slices for desktops and applications; of Maxwell only the whole card computes.
_VGPU_WITHOUT_CUDA = re.compile(r"-\d+[ab]\d?$|\bm(6|10|60)-[0-4]q$", re.IGNORECASE)


def vgpu(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Verdict:  # noqa: ARG001
    if card.vendor != "nvidia" or not _VGPU_WITHOUT_CUDA.search(card.name.strip()):
        return HOLDS
    series, source = required(case.facts, "vgpu.cuda-series")
    return change("card-vgpu", "card-vgpu", changes.other_vgpu(series), source, card=card.name, series=series)


def directx12(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Verdict:  # noqa: ARG001
    old = case.facts.without_directx12(card.name)
    if old:
        return no("card-no-directx12", "card-directx11", old[1], card=card.name, chips=old[0])
    if card.vendor == "unknown":
        return change("card-unknown", "card-unknown-directml", changes.find_card(), card=card.name)
    if card.vendor not in _DIRECTX12 or (kind and capability(kind) < _FERMI):
        return no("card-no-directx12", "card-no-directx12", card=card.name)
    if kind and capability(kind) < _DIRECTML_LISTED:
        listed, source = required(case.facts, "directml.nvidia-least")
        return unknown("card-directml-old", "assume-directml-old", source, card=card.name, listed=listed)
    if card.tcc:
        return change("card-tcc", "directml-tcc", changes.leave_tcc(), card=card.name)
    return HOLDS


CUDA_RULES = (vendor, code, vgpu, wsl_card, carries)
DIRECTML_RULES = (directx12, directml_driver)


def judge(case: Case, candidate: Candidate) -> Served:
    """Return which cards a candidate serves, with the verdicts that count for it."""
    if candidate.route == "cpu":
        return Served((), "none")
    if isinstance(case.cards, Unknown):
        return Served((change("card-unknown", "cards-not-read", changes.find_card()),), "unknown")
    if not case.cards:
        return Served((no("card-none", "card-none"),), "none")
    judged = [_judge(case, candidate, card) for card in case.cards]
    best = min(judged, key=lambda j: (j.severity, _NICE[j.kernels], [-n for n in _newest(j.card)]))
    level = max(best.severity, SEVERITY[Outcome.UNKNOWN]) if best.severity < SEVERITY[Outcome.NO] else -1
    served = [j for j in judged if j.severity <= level]
    chosen = served or [best]
    verdicts = unique(v for j in chosen for v in j.verdicts)
    return Served(
        verdicts, best.kernels, tuple(j.card for j in served), tuple(j for j in judged if j not in served)
    )


def _judge(case: Case, candidate: Candidate, card: Card) -> Judged:
    by_kind = [_judge_kind(case, candidate, card, kind) for kind in card.kinds or (None,)]
    first = by_kind[0]
    if len({j.severity == SEVERITY[Outcome.NO] for j in by_kind}) == 1:
        return first
    # Chips that share this name differ in whether they are served: the driver must say which one it is.
    good = next(j for j in by_kind if j.severity < SEVERITY[Outcome.NO])
    ask = change(
        "card-ambiguous", "card-ambiguous", changes.find_card(), card=card.name, kinds=", ".join(card.kinds)
    )
    return Judged(card, (*good.verdicts, ask), good.kernels, SEVERITY[Outcome.CHANGE])


def _judge_kind(case: Case, candidate: Candidate, card: Card, kind: str | None) -> Judged:
    directml = candidate.route == "directml"
    rules = DIRECTML_RULES if directml else CUDA_RULES
    verdicts = (rule(case, candidate, card, kind) for rule in rules)
    kernels: Kernels = "none" if directml else kernels_of(candidate.build, kind)
    failing = tuple(v for v in verdicts if v.outcome is not Outcome.OK)
    return Judged(card, failing, kernels, max((SEVERITY[v.outcome] for v in failing), default=0))


def _newest(card: Card) -> tuple[int, int]:
    return capability(card.kinds[0]) if card.kinds else (0, 0)
