"""One option for each framework that was asked, in one environment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import TYPE_CHECKING

from trueup.fit.beside import serving
from trueup.fit.model import Outcome
from trueup.fit.reach import both
from trueup.fit.rules.joint import JOINT_RULES, one_python
from trueup.fit.rules.packages import pythons
from trueup.fit.rules.system import room
from trueup.fit.shelf import kinds
from trueup.fit.unique import unique

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts.model import Build
    from trueup.fit.case import Case
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Kernels, Route, Verdict
    from trueup.fit.option import Option


@dataclass(frozen=True, slots=True)
class Choice:
    """`kernels` are the weakest of all; `pythons` those that serve all, oldest first; `own` is of them together."""

    options: tuple[Option, ...]
    route: Route
    builds: tuple[Build, ...]
    changed: bool
    kernels: Kernels
    pythons: tuple[str, ...]
    own: tuple[Verdict, ...] = ()

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        if len(self.options) == 1:
            return self.options[0].verdicts
        return unique((*(v for option in self.options for v in option.verdicts), *self.own))


def choose(case: Case, options: tuple[Option, ...]) -> Choice:
    builds = tuple(option.candidate.build for option in options)
    first, *others = (serving(case, b, pythons(b.pythons, case.asked.python)) for b in builds)
    own = tuple(v for v in (room(case, builds),) if len(builds) > 1 and v.outcome is not Outcome.OK)
    return Choice(
        options,
        options[0].route,
        builds,
        any(option.changed for option in options) or bool(own),
        reduce(both, (option.kernels for option in options)),
        tuple(p for p in first if all(p in other for other in others)),
        own,
    )


def choices(case: Case, columns: tuple[tuple[Option, ...], ...]) -> Iterator[Choice]:
    """Yield every set of options that bear each other. Columns hold options without faults, one a framework."""
    if len(columns) == 1:
        yield from (choose(case, (option,)) for option in columns[0])
        return
    memo = _memo(case.facts)
    thin = columns if case.asked.prefer == "smallest" else _thin(case, memo, columns)
    chosen: list[tuple[Option, ...]] = [()]
    for column in thin:
        chosen = [
            (*earlier, option)
            for earlier in chosen
            for option in column
            if not any(_clashes(case, memo, one, option) for one in earlier)
        ]
    yield from (choice for found in chosen if (choice := choose(case, found)).pythons)


def clash(case: Case, one: Option, other: Option) -> tuple[Verdict, ...]:
    """Return what keeps two options out of one environment."""
    verdicts = (rule(case, one.candidate, other.candidate) for rule in (one_python, *JOINT_RULES))
    return tuple(v for v in verdicts if v.outcome is Outcome.NO)


@lru_cache(maxsize=16)
def _memo(facts: Knowledge) -> dict[tuple[int, int], bool]:  # noqa: ARG001  # one for each set of facts
    return {}


def _clashes(case: Case, memo: dict[tuple[int, int], bool], one: Option, other: Option) -> bool:
    """Say whether two builds clash on any machine: their facts do not change from one solve to the next."""
    pair = id(one.candidate.build), id(other.candidate.build)
    if pair not in memo:
        verdicts = (rule(case, one.candidate, other.candidate) for rule in JOINT_RULES)
        memo[pair] = any(v.outcome is Outcome.NO for v in verdicts)
    return memo[pair]


def _thin(
    case: Case, memo: dict[tuple[int, int], bool], columns: tuple[tuple[Option, ...], ...]
) -> tuple[tuple[Option, ...], ...]:
    """Keep the newest of the options of a column that get on with the same others and serve the same."""
    unlike = tuple(_unlike(case, column) for column in columns)
    thin = []
    for place, column in enumerate(unlike):
        others = [option for i, rest in enumerate(unlike) if i != place for option in rest]
        seen: dict[object, Option] = {}
        for option in column:
            bears = tuple(_clashes(case, memo, option, other) for other in others)
            build = option.candidate.build
            seen.setdefault((bears, _said(option), build.pythons, build.package), option)
        thin.append(tuple(seen.values()))
    return tuple(thin)


def _unlike(case: Case, column: tuple[Option, ...]) -> tuple[Option, ...]:
    """Keep the newest of the options that differ in nothing but the release: cheaper than to try them all."""
    seen: dict[object, Option] = {}
    for option in column:
        build = option.candidate.build
        kind = kinds(case.facts, build.framework, deep=True)[id(build)]
        seen.setdefault((kind, _said(option), serving(case, build, build.pythons)), option)
    return tuple(seen.values())


def _said(option: Option) -> object:
    return option.kernels, tuple((v.rule, v.change.id if v.change else None) for v in option.verdicts)
