"""Nothing fits as it was asked: which part of the wish would have to give way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from trueup.fit.align import align
from trueup.fit.choice import choose
from trueup.fit.model import ROUTES, Outcome
from trueup.fit.unique import unique
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from trueup.fit.case import Case
    from trueup.fit.choice import Choice
    from trueup.fit.field import Field
    from trueup.fit.model import Alignment, Solution
    from trueup.fit.wish import Asked


def nearest(
    case: Case, solve: Callable[[Case], Solution], fields_of: Callable[[Case], Sequence[Field]]
) -> tuple[tuple[Alignment, ...], tuple[Message, ...]]:
    """Return what would fit a smaller wish and what was dropped for it, else what fails in the least."""
    widest = case
    for asked, note in _smaller(case.asked):
        widest = replace(case, asked=asked)
        solution = solve(widest)
        if solution.best:
            return (solution.best, *solution.alternatives), (note,)
    return _least_faults(widest, fields_of(widest))


def _unpinned(others: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    """Return the same packages in any version."""
    free = [Requirement(str(other)) for other in others]
    for other in free:
        other.specifier = SpecifierSet()
    return tuple(free)


def _least_faults(case: Case, fields: Sequence[Field]) -> tuple[tuple[Alignment, ...], tuple[Message, ...]]:
    """Show the nearest there is where the machine itself bars everything, with what bars it."""
    found = [choose(case, tuple(column[0] for column in field.columns)) for field in fields if field.columns]
    barred = [choice for choice in found if choice.pythons and _faults(choice)]
    if not barred:
        return (), ()
    choice = min(barred, key=lambda c: (len(_faults(c)), ROUTES.index(c.route)))
    reasons = _faults(choice)
    return (align(case, choice, reasons[0]),), (Message("fit.nearest-barred"), *reasons)


def _faults(choice: Choice) -> tuple[Message, ...]:
    return unique(v.text for v in choice.verdicts if v.outcome is Outcome.NO)


def _smaller(asked: Asked) -> Iterator[tuple[Asked, Message]]:
    """Yield smaller wishes, those that give up least first. Each is solvable or smaller still."""
    free = tuple(
        replace(ask, dist=ask.framework, specifier="", cuda=None, flavour=None) for ask in asked.asks
    )
    if asked.routes is not None or asked.gpu_required:
        wider = replace(asked, routes=None, gpu_required=False)
        yield wider, Message("fit.nearest-route")
        asked = wider
    pinned = tuple(other for other in asked.others if other.specifier)
    if pinned:
        names = ", ".join(map(str, pinned))
        yield replace(asked, others=_unpinned(asked.others)), Message("fit.nearest-pins", {"asked": names})
    if asked.others:
        names = ", ".join(str(other) for other in asked.others)
        yield replace(asked, others=()), Message("fit.nearest-others", {"asked": names})
    if asked.python:
        yield replace(asked, python=""), Message("fit.nearest-python", {"asked": asked.python})
    named = ", ".join(ask.text for ask in asked.asks if ask.specifier or ask.cuda or ask.flavour)
    if named:
        yield replace(asked, asks=free), Message("fit.nearest-version", {"asked": named})
        yield replace(asked, asks=free, python="", others=()), Message("fit.nearest-all", {"asked": named})
