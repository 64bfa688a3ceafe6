"""A candidate with everything the rules said of it, and its place in the order of states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.fit.case import Candidate
from trueup.fit.model import Outcome, Verdict
from trueup.fit.offer import offered
from trueup.fit.rules import packages, system, wsl
from trueup.fit.rules.cards import judge

if TYPE_CHECKING:
    from trueup.fit.case import Case
    from trueup.fit.model import Kernels, Route
    from trueup.fit.rules.cards import Served
    from trueup.fit.wish import Ask

RULES = (
    system.architecture,
    system.windows_build,
    wsl.windows_for_wsl,
    wsl.ready,
    wsl.kernel,
    system.libc,
    system.glibc,
    system.cpu_features,
    packages.python,
    packages.python_at_hand,
    packages.others,
    packages.cuda_source,
    system.disk,
)


@dataclass(frozen=True, slots=True)
class Option:
    """`verdicts` are those that are not plainly ok: of the candidate first, then of the cards that count."""

    candidate: Candidate
    verdicts: tuple[Verdict, ...]
    cards: Served

    @property
    def route(self) -> Route:
        return self.candidate.route

    @property
    def kernels(self) -> Kernels:
        return self.cards.kernels

    @property
    def faults(self) -> tuple[Verdict, ...]:
        return tuple(v for v in self.verdicts if v.outcome is Outcome.NO)

    @property
    def changed(self) -> bool:
        return any(v.outcome is Outcome.CHANGE for v in self.verdicts)


def options(case: Case, route: Route, ask: Ask) -> tuple[Option, ...] | Verdict:
    """Return every build of a route under all rules, newest first, or why the route has none."""
    builds = offered(case, route, ask)
    if isinstance(builds, Verdict):
        return builds
    return tuple(weigh(case, Candidate(route, build, ask)) for build in builds)


def weigh(case: Case, candidate: Candidate) -> Option:
    """Return a candidate with what every rule says of it."""
    own = (rule(case, candidate) for rule in RULES)
    cards = judge(case, candidate)
    verdicts = tuple(v for v in (*own, *cards.verdicts) if v.outcome is not Outcome.OK)
    return Option(candidate, verdicts, cards)
