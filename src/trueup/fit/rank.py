"""Which fitting choice is best: named criteria, the first that differs decides."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from packaging.version import Version

from trueup.fit.knowledge import cuda_of
from trueup.fit.model import ROUTES, Outcome
from trueup.fit.pythons import installed
from trueup.fit.shelf import name_rank
from trueup.fit.versions import capability, version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from trueup.fit.case import Case
    from trueup.fit.choice import Choice

Measure = tuple[float, ...]


class Criterion(NamedTuple):
    """`less` is better."""

    name: str
    less: Callable[[Case, Choice], Measure]


def state(case: Case, choice: Choice) -> Measure:
    """Order what the user gets: CUDA as the machine is, then after a change; then DirectML; then the CPU.

    DirectML is slower, so it comes after a change that brings machine code for the card; but it comes before
    a change that brings only PTX, and before an old release whose CUDA must be installed by hand.
    """
    if choice.route == "cpu":
        return (6 + choice.changed,)
    if _blind(case, choice) or _unread_for_kepler(choice):
        return (8,)
    if choice.route == "directml":
        return (3 + choice.changed,)
    as_is = {"native": 0.0, "unknown": 0.5, "ptx-jit": 1.0, "none": 9.0}
    after = {"native": 2.0, "unknown": 2.5, "ptx-jit": 4.0, "none": 9.0}
    if any(v.rule == "cuda-no-wheel" for v in choice.verdicts):
        return (3.5,)
    return ((after if choice.changed else as_is)[choice.kernels],)


def compute(case: Case, choice: Choice) -> Measure:  # noqa: ARG001  # one shape for all criteria
    """Put any GPU before the CPU, whatever must change for it."""
    return (choice.route == "cpu",)


def changes(case: Case, choice: Choice) -> Measure:  # noqa: ARG001
    found = {v.change.id: v.change for v in choice.verdicts if v.outcome is Outcome.CHANGE and v.change}
    return (len(found), sum(c.admin for c in found.values()))


def route(case: Case, choice: Choice) -> Measure:  # noqa: ARG001
    return (ROUTES.index(choice.route),)


def strongest(case: Case, choice: Choice) -> Measure:  # noqa: ARG001
    """Prefer what serves the strongest card of several to a newer release that leaves it unused."""
    return (any(option.cards.leaves_the_strongest for option in choice.options),)


def newest(case: Case, choice: Choice) -> Measure:  # noqa: ARG001
    return tuple(part for build in choice.builds for part in _age(build.version))


@lru_cache(maxsize=2048)
def _age(text: str) -> Measure:
    found = version(text)
    return (found.is_prerelease, *(-part for part in (*found.release, 0, 0, 0)[:4]))


def asked_name(case: Case, choice: Choice) -> Measure:  # noqa: ARG001
    """Prefer the distribution that was typed, then the framework's own name."""
    return tuple(name_rank(o.candidate.ask, o.candidate.build) for o in choice.options)


def known_cuda(case: Case, choice: Choice) -> Measure:
    """Prefer a CUDA that the driver knows whole to one that rests on minor-version compatibility."""
    has = case.driver
    knows = cuda_of(case.facts, str(has), case.driver_platform) if isinstance(has, Version) else None
    if knows is None:
        return (0,)
    return tuple(b.cuda is not None and version(b.cuda) > version(knows) for b in choice.builds)


def newest_cuda(case: Case, choice: Choice) -> Measure:  # noqa: ARG001
    return tuple(part for build in choice.builds if build.cuda for part in _age(build.cuda))


def size(case: Case, choice: Choice) -> Measure:  # noqa: ARG001
    return (sum(b.disk_mb if b.disk_mb is not None else 10**6 for b in choice.builds),)


def python_here(case: Case, choice: Choice) -> Measure:
    return (not installed(case, choice),)


STATE, COMPUTE = Criterion("state", state), Criterion("compute", compute)
CHANGES, ROUTE, NEWEST = Criterion("changes", changes), Criterion("route", route), Criterion("newest", newest)
STRONGEST = Criterion("strongest", strongest)
NAME, KNOWN = Criterion("asked-name", asked_name), Criterion("known-cuda", known_cuda)
CUDA, SIZE = Criterion("newest-cuda", newest_cuda), Criterion("size", size)
PYTHON = Criterion("python-here", python_here)

ORDERS: dict[str, tuple[Criterion, ...]] = {
    "stable": (STATE, CHANGES, ROUTE, STRONGEST, NEWEST, NAME, KNOWN, CUDA, PYTHON),
    "newest": (COMPUTE, NEWEST, STATE, CHANGES, ROUTE, NAME, KNOWN, CUDA, PYTHON),
    "smallest": (STATE, STRONGEST, SIZE, CHANGES, ROUTE, NEWEST, NAME, KNOWN, CUDA, PYTHON),
    "installed": (STATE, STRONGEST, PYTHON, CHANGES, ROUTE, NEWEST, NAME, KNOWN, CUDA),
}


def ranked(case: Case, found: Iterable[Choice]) -> list[Choice]:
    """Return the best of each route, as the machine is and after a change, the best of all first."""
    groups: dict[tuple[str, bool], list[Choice]] = {}
    for choice in found:
        groups.setdefault((choice.route, choice.changed), []).append(choice)
    order = ORDERS[case.asked.prefer]
    best = [_best(case, group, order) for group in groups.values()]
    return sorted(best, key=lambda choice: measure(case, choice))


def measure(case: Case, choice: Choice) -> list[Measure]:
    """Return all criteria of a choice, to compare with another's: less is better."""
    return [criterion.less(case, choice) for criterion in ORDERS[case.asked.prefer]]


def _best(case: Case, group: list[Choice], order: tuple[Criterion, ...]) -> Choice:
    """Let one criterion after the other thin out the group: most are never asked of most."""
    for criterion in order:
        if len(group) == 1:
            break
        measured = [(criterion.less(case, choice), choice) for choice in group]
        least = min(measure for measure, _ in measured)
        group = [choice for measure, choice in measured if measure == least]
    return group[0]


def _unread_for_kepler(choice: Choice) -> bool:
    """Say whether nobody read which cards a build has code for, and the card is one that most left out early."""
    kinds = [card.kinds[0] for card in choice.options[0].cards.served if card.kinds]
    return choice.kernels == "unknown" and bool(kinds) and max(map(capability, kinds)) < (5, 0)


def _blind(case: Case, choice: Choice) -> bool:
    """Say whether nothing at all speaks for an NVIDIA card: neither a card nor a driver was named."""
    asks = any(v.rule == "card-unknown" for v in choice.verdicts)
    return asks and not isinstance(case.machine.driver, str)
