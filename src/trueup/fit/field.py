"""All options of one route, before any of them is chosen."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from trueup.fit.choice import choices, clash
from trueup.fit.model import Verdict
from trueup.fit.option import options

if TYPE_CHECKING:
    from trueup.fit.case import Case
    from trueup.fit.choice import Choice
    from trueup.fit.model import Route
    from trueup.fit.option import Option
    from trueup.fit.wish import Ask


@dataclass(frozen=True, slots=True)
class Field:
    """`closed`: which frameworks the route has nothing for, and why; then there are no columns.

    `joint`: the newest two options that cannot share an environment, where that leaves nothing.
    """

    route: Route
    closed: tuple[tuple[Ask, Verdict], ...] = ()
    columns: tuple[tuple[Option, ...], ...] = ()
    choices: tuple[Choice, ...] = ()
    joint: tuple[Option, Option, tuple[Verdict, ...]] | None = None


def survey(case: Case, route: Route, *, whole: bool = True) -> Field:
    """Put the builds of a route under all rules and join what fits; all of them, or as far as one may win."""
    whole = whole or case.every or len(case.asked.asks) > 1 or case.asked.prefer not in ("stable", "newest")
    found = [(ask, options(case, route, ask, whole=whole)) for ask in case.asked.asks]
    closed = tuple((ask, result) for ask, result in found if isinstance(result, Verdict))
    if closed:
        return Field(route, closed)
    columns = tuple(result for _, result in found if not isinstance(result, Verdict))
    good = tuple(tuple(o for o in column if not o.faulty) for column in columns)
    together = tuple(choices(case, good)) if all(good) else ()
    return Field(route, (), columns, together, _clash(case, good) if all(good) and not together else None)


def _clash(
    case: Case, good: tuple[tuple[Option, ...], ...]
) -> tuple[Option, Option, tuple[Verdict, ...]] | None:
    for left, right in combinations(good, 2):
        verdicts = clash(case, left[0], right[0])
        if verdicts:
            return left[0], right[0], verdicts
    return None
