"""The one entry: what fits a wish on a machine, what does not, and why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.fit.align import align
from trueup.fit.binding import binding, way_to_more
from trueup.fit.case import Case, read_case
from trueup.fit.explain import cpu_not_asked, rejections, route_not_asked
from trueup.fit.field import Field, survey
from trueup.fit.model import Outcome, Rejection, Solution, Wish
from trueup.fit.nearest import nearest
from trueup.fit.notes import of_case
from trueup.fit.offer import routes_of
from trueup.fit.rank import ranked
from trueup.fit.unique import unique
from trueup.fit.versions import version
from trueup.fit.wish import understand
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.fit.choice import Choice
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Alignment, Status
    from trueup.machine.model import Machine


def solve(wish: Wish, machine: Machine, facts: Knowledge, *, every: bool = False) -> Solution:
    """Return the best alignment, the others worth a look, and what was ruled out; with `every`, all of it.

    Raises TrueupError where the wish cannot be understood.
    """
    return solve_case(read_case(machine, understand(wish, facts), facts, every=every))


def solve_case(case: Case) -> Solution:
    fields, shut = open_fields(case)
    found = ranked(case, (choice for field in fields for choice in field.choices))
    rejected = unique((*rejections(case, fields, found), *shut))
    if len(case.asked.asks) > 1 and (not found or found[0].route == "cpu"):
        apart = _apart(case, rejected)
        if apart and (not found or apart.status != "cpu-only"):
            return apart
    if not found and case.machine.os == "macos":
        return Solution("cpu-only", None, (), rejected, (), unique(of_case(case)))
    if not found:
        return _impossible(case, rejected)
    best = align(case, found[0], binding(case, fields, found[0], rejected))
    others = tuple(align(case, c, binding(case, fields, c, rejected)) for c in _others(found))
    return Solution(
        status=status_of(found[0]),
        best=best,
        alternatives=others,
        rejected=rejected,
        assumptions=_assumptions(case, found[0]),
        notes=unique((*of_case(case), *way_to_more(best, others))),
    )


def open_fields(case: Case, *, whole: bool = False) -> tuple[list[Field], list[Rejection]]:
    """Return the routes that may be taken, and the rejections of those that the wish forbids."""
    open_, shut = [], []
    for route in routes_of(case):
        verdict = None
        if case.asked.routes is not None and route not in case.asked.routes:
            verdict = route_not_asked(route)
        elif route == "cpu" and case.asked.gpu_required:
            verdict = cpu_not_asked()
        if verdict:
            shut.append(Rejection(route, case.asked.asks[0].framework, (verdict,)))
        else:
            open_.append(survey(case, route, whole=whole))
    return open_, shut


def status_of(choice: Choice) -> Status:
    if choice.route == "cpu":
        return "cpu-only"
    return "gpu-after-change" if choice.changed else "gpu"


def _others(found: Sequence[Choice]) -> list[Choice]:
    """Return the best of each other route, and on each route what a change would add."""
    kept = [found[0]]
    for choice in found[1:]:
        here = [c for c in kept if c.route == choice.route]
        state_is_new = all(c.changed != choice.changed for c in here)
        if not here or (state_is_new and (not choice.changed or _more(choice, here[0]))):
            kept.append(choice)
    return kept[1:]


def _more(choice: Choice, than: Choice) -> bool:
    pairs = zip(choice.builds, than.builds, strict=True)
    return any(version(one.version) > version(other.version) for one, other in pairs)


def _assumptions(case: Case, choice: Choice) -> tuple[Message, ...]:
    said = [v.text for v in choice.verdicts if v.outcome is Outcome.UNKNOWN]
    if isinstance(case.cards, Unknown):
        some = isinstance(case.machine.driver, str)
        said.append(Message("fit.assume-some-card" if some else "fit.assume-no-card"))
    return unique(said + _by_name(case, choice))


def _by_name(case: Case, choice: Choice) -> list[Message]:
    """Say which capabilities come from a product name: the driver has the last word on them."""
    gpus = () if isinstance(case.machine.gpus, Unknown) else case.machine.gpus
    named = {gpu.name for gpu in gpus if isinstance(gpu.capability, Unknown)}
    cards = () if choice.route in ("cpu", "directml") else choice.options[0].cards.served
    return [
        Message("fit.assume-capability", {"card": card.name, "capability": card.kinds[0]})
        for card in cards
        if card.name in named and card.kinds
    ]


def _impossible(case: Case, rejected: tuple[Rejection, ...]) -> Solution:
    """Nothing fits: offer what would, and say which part of the wish or of the machine it gives up."""
    near, notes = nearest(case, solve_case, lambda wider: open_fields(wider)[0])
    return Solution("impossible", None, near, rejected, (), unique((*of_case(case), *notes)))


def _apart(case: Case, rejected: tuple[Rejection, ...]) -> Solution | None:
    """Solve each framework alone: two environments, where one would not do."""
    alone = [solve_case(replace(case, asked=replace(case.asked, asks=(ask,)))) for ask in case.asked.asks]
    aligned: list[Alignment] = [s.best for s in alone if s.best]
    if len(aligned) < len(alone):
        return None
    order: tuple[Status, ...] = ("gpu", "gpu-after-change", "cpu-only", "impossible")
    names = "; ".join(" + ".join(f"{b.framework} {b.version}" for b in a.builds) for a in aligned)
    reasons = [
        r.text for rejection in rejected for r in rejection.reasons if r.rule.startswith(("joint", "numpy"))
    ]
    return Solution(
        status=max((s.status for s in alone), key=order.index),
        best=aligned[0],
        alternatives=tuple(other for s in alone for other in s.alternatives),
        rejected=unique((*rejected, *(r for s in alone for r in s.rejected))),
        assumptions=unique(a for s in alone for a in s.assumptions),
        notes=unique((Message("fit.note-two-environments", {"names": names}), *reasons, *of_case(case))),
        beside=tuple(aligned[1:]),
    )
