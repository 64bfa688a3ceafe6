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
    from collections.abc import Callable

    from trueup.fit.case import Case
    from trueup.fit.model import Kernels, Route
    from trueup.fit.rules.cards import Served
    from trueup.fit.wish import Ask

    Rule = Callable[[Case, Candidate], Verdict]

# Of the machine and the way: they say the same of every build that takes it.
ROUTE_RULES = (
    system.architecture,
    system.windows_build,
    wsl.windows_for_wsl,
    wsl.ready,
    wsl.kernel,
)
BUILD_RULES = (
    system.vc_runtime,
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
    """`verdicts` are those that are not plainly ok: of the way, of the build, of the cards that count.

    `changed` says whether the machine must change; software that a user installs is no change of it.
    """

    candidate: Candidate
    verdicts: tuple[Verdict, ...]
    cards: Served
    faulty: bool
    changed: bool

    @property
    def route(self) -> Route:
        return self.candidate.route

    @property
    def kernels(self) -> Kernels:
        return self.cards.kernels


def options(case: Case, route: Route, ask: Ask, *, whole: bool) -> tuple[Option, ...] | Verdict:
    """Return the builds of a route under all rules, newest first, or why the route has none.

    Unless the `whole` list is wanted it ends with the first release that nothing but the way itself speaks
    against: no older one can be better.
    """
    builds = offered(case, route, ask)
    if isinstance(builds, Verdict):
        return builds
    way = _failing(ROUTE_RULES, case, Candidate(route, builds[0], ask))
    found: list[Option] = []
    enough: str | None = None
    for build in builds:
        if enough is not None and build.version != enough:
            break
        option = _weigh(case, Candidate(route, build, ask), way)
        found.append(option)
        if not whole and enough is None and _plain(option, way):
            enough = build.version
    return tuple(found)


def _plain(option: Option, way: tuple[Verdict, ...]) -> bool:
    own = option.verdicts[len(way) :]
    if option.cards.leaves_the_strongest:
        return False
    return all(v.outcome is Outcome.UNKNOWN for v in own) and (
        option.kernels == "native" or option.route in ("directml", "cpu")
    )


def weigh(case: Case, candidate: Candidate) -> Option:
    """Return a candidate with what every rule says of it."""
    return _weigh(case, candidate, _failing(ROUTE_RULES, case, candidate))


def _weigh(case: Case, candidate: Candidate, way: tuple[Verdict, ...]) -> Option:
    cards = judge(case, candidate)
    verdicts = (*way, *_failing(BUILD_RULES, case, candidate), *cards.verdicts)
    faulty = any(v.outcome is Outcome.NO for v in verdicts)
    changed = any(v.outcome is Outcome.CHANGE and v.rule not in packages.BY_HAND for v in verdicts)
    return Option(candidate, verdicts, cards, faulty, changed)


def _failing(rules: tuple[Rule, ...], case: Case, candidate: Candidate) -> tuple[Verdict, ...]:
    return tuple(v for rule in rules if (v := rule(case, candidate)).outcome is not Outcome.OK)
