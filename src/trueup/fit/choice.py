"""One option for each framework that was asked, in one environment."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from typing import TYPE_CHECKING

from trueup.fit.model import Outcome
from trueup.fit.reach import both
from trueup.fit.rules.joint import JOINT_RULES
from trueup.fit.rules.packages import pythons
from trueup.fit.unique import unique

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.facts.model import Build
    from trueup.fit.case import Case
    from trueup.fit.model import Kernels, Route, Verdict
    from trueup.fit.option import Option


@dataclass(frozen=True, slots=True)
class Choice:
    options: tuple[Option, ...]
    joint: tuple[Verdict, ...] = ()

    @property
    def route(self) -> Route:
        return self.options[0].route

    @property
    def builds(self) -> tuple[Build, ...]:
        return tuple(option.candidate.build for option in self.options)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return unique((*(v for option in self.options for v in option.verdicts), *self.joint))

    @property
    def changed(self) -> bool:
        return any(option.changed for option in self.options)

    @property
    def kernels(self) -> Kernels:
        return reduce(both, (option.kernels for option in self.options))

    def pythons(self, specifier: str) -> tuple[str, ...]:
        common = [set(pythons(build.pythons, specifier)) for build in self.builds]
        return tuple(
            p for p in pythons(self.builds[0].pythons, specifier) if all(p in some for some in common)
        )


def choices(case: Case, columns: tuple[tuple[Option, ...], ...]) -> Iterator[Choice]:
    """Yield every set of options that bear each other. Columns hold options without faults, one a framework."""
    if len(columns) == 1:
        yield from (Choice((option,)) for option in columns[0])
        return
    slim = [_distinct(column) for column in columns]
    bad = {
        (id(one), id(other))
        for left, right in combinations(slim, 2)
        for one in left
        for other in right
        if clash(case, one, other)
    }
    yield from (Choice(found) for found in _combine(slim, (), bad))


def clash(case: Case, one: Option, other: Option) -> tuple[Verdict, ...]:
    """Return what keeps two options out of one environment."""
    verdicts = (rule(case, one.candidate, other.candidate) for rule in JOINT_RULES)
    return tuple(v for v in verdicts if v.outcome is Outcome.NO)


def _combine(
    columns: list[tuple[Option, ...]], chosen: tuple[Option, ...], bad: set[tuple[int, int]]
) -> Iterator[tuple[Option, ...]]:
    if len(chosen) == len(columns):
        yield chosen
        return
    for option in columns[len(chosen)]:
        if not any((id(earlier), id(option)) in bad for earlier in chosen):
            yield from _combine(columns, (*chosen, option), bad)


def _distinct(column: tuple[Option, ...]) -> tuple[Option, ...]:
    """Keep the newest of the options that no joint rule and no criterion but the version can tell apart."""
    seen: dict[object, Option] = {}
    for option in column:
        build = option.candidate.build
        beside = tuple(r for r in build.requirements if not r.startswith(build.package))
        marks = (build.package, build.pythons, build.cuda, build.cudnn, build.cuda_from, build.caps, beside)
        said = tuple((v.rule, v.outcome, v.change.id if v.change else None) for v in option.verdicts)
        seen.setdefault((marks, said, option.kernels), option)
    return tuple(seen.values())
