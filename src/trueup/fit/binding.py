"""The one reason why an answer is what it is and not more, and the way to more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.model import ROUTES, Outcome
from trueup.fit.offer import routes_of
from trueup.fit.versions import version
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trueup.fit.case import Case
    from trueup.fit.choice import Choice
    from trueup.fit.field import Field
    from trueup.fit.model import Alignment, Rejection, Route, Verdict


def binding(case: Case, fields: Sequence[Field], choice: Choice, rejected: Sequence[Rejection]) -> Message:
    """Return the first that holds: what must change; why no GPU; why nothing newer; that it is the newest."""
    wanted = next((v for v in choice.verdicts if v.outcome is Outcome.CHANGE), None)
    if wanted:
        return wanted.text
    if choice.route in ("cpu", "directml"):
        return _no_cuda(case, fields, rejected, choice.route)
    newer = _first(_reasons(rejected, choice.route, choice))
    if newer:
        return newer.text
    build = choice.builds[0]
    if case.asked.asks[0].specifier:
        return Message("fit.binding-asked", {"asked": case.asked.asks[0].text, "version": build.version})
    return Message("fit.binding-newest", {"framework": build.framework, "version": build.version})


def way_to_more(best: Alignment, others: Iterable[Alignment]) -> Iterator[Message]:
    """Say what a change would add: a newer release of the first framework."""
    for other in others:
        build = other.builds[0]
        if other.changes and version(build.version) > version(best.builds[0].version):
            change = other.changes[0]
            what = {"framework": build.framework, "version": build.version, "change": f"@fit.do-{change.id}"}
            if change.command and len(other.changes) == 1:
                yield Message("fit.way-to-more-command", {**what, "command": change.command})
            else:
                yield Message("fit.way-to-more", what)
            return


def _no_cuda(case: Case, fields: Sequence[Field], rejected: Sequence[Rejection], route: Route) -> Message:
    """Return why no better route: what the card lacks says more than that a route has only older releases."""
    better = ROUTES[: ROUTES.index(route)]
    routes = [field.route for field in fields if field.route in better]
    found = [r for rejection in rejected if rejection.route in routes for r in rejection.reasons]
    if not found and any(one in better for one in routes_of(case) if one not in routes):
        return Message("fit.binding-others-left-out")
    if not found:
        return Message("fit.binding-no-gpu-route", {"os": f"@fit.os-{case.machine.os}"})
    return min(found, key=_weight).text


def _weight(verdict: Verdict) -> tuple[bool, bool, bool]:
    of_release = verdict.rule in ("tf-windows-gpu-ended", "os-no-build-release")
    of_card = verdict.rule.startswith(("card", "arch"))
    return (not of_card, of_release, verdict.outcome is not Outcome.NO)


def _reasons(rejected: Sequence[Rejection], route: str, choice: Choice) -> Iterator[Verdict]:
    held = {b.framework: version(b.version) for b in choice.builds}
    for rejection in rejected:
        framework, _, said = rejection.nearest.partition(" ")
        newer = framework in held and said and " " not in said and version(said) > held[framework]
        if rejection.route == route and newer:
            yield from rejection.reasons


def _first(verdicts: Iterable[Verdict]) -> Verdict | None:
    """Return the weightiest: what cannot be changed comes before what can."""
    found = list(verdicts)
    return next((v for v in found if v.outcome is Outcome.NO), found[0] if found else None)
