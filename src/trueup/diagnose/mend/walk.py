"""Takes the steps one by one, and looks again after each. A step is taken once: what did not help will not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.findings.checkup import NO_CARD
from trueup.diagnose.findings.order import rank
from trueup.diagnose.mend.model import Mend, Walked
from trueup.diagnose.mend.route import mends, reason, route, unread

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.diagnose.findings.model import Checkup
    from trueup.diagnose.mend.model import End, Took

MOST = 20  # steps: no machine has so much to mend; a bound for one that changes under the walk


def walk(
    check: Callable[[], Checkup], act: Callable[[Mend], bool], can: Callable[[Mend], bool] = lambda _: True
) -> Walked:
    """Mend until it is true, or until what remains is the user's.

    `check` looks at the machine as it is now. `act` takes a step and tells whether it went well. `can` tells
    whether a step may be taken here at all: one for an administrator may not, where nobody can be asked.

    After a step that failed or was declined the machine is looked at again, too, and the next way to mend the same
    finding is taken, if there is one. What counts is whether the finding is gone, not what a command said.
    """
    tried: set[tuple[str, ...]] = set()
    done: list[tuple[Mend, Took]] = []
    checkup = check()
    while len(done) < MOST:
        end, step = _next(checkup, tried, can)
        if step is None or end is not None:
            return Walked(end or "unknown", checkup, tuple(done), step)
        tried.add(step.argv)
        well = act(step)
        checkup = check()
        done.append((step, "helped" if not _still(checkup, step) else "helped-not" if well else "failed"))
    return Walked("left", checkup, tuple(done), Mend(checkup.cause, ()))


def _next(
    checkup: Checkup, tried: set[tuple[str, ...]], can: Callable[[Mend], bool]
) -> tuple[End | None, Mend | None]:
    """Return the next step, or the end with what stands in the way."""
    if checkup.outcome == "aligned":
        return "aligned", None
    cause = checkup.cause
    if cause is None:
        return _without_cause(checkup, tried, can)
    if cause.id in NO_CARD:
        return "cpu-only", Mend(cause, (), why=reason(cause))
    steps = mends(checkup, cause)
    fresh = [step for step in steps if step.argv and step.argv not in tried]
    step = next((step for step in fresh if can(step)), None)
    if step is not None:
        return None, step
    if fresh:
        return "yours", fresh[0]
    end: End = "left" if any(step.argv for step in steps) else "yours"
    return end, Mend(cause, (), why=None if end == "left" else reason(cause))


def _without_cause(
    checkup: Checkup, tried: set[tuple[str, ...]], can: Callable[[Mend], bool]
) -> tuple[End | None, Mend | None]:
    if checkup.outcome == "unknown":
        found = unread(checkup)
        return "unknown", Mend(found, (), why=reason(found) if found else None)
    if checkup.outcome != "ready":
        return "cpu-only", None
    step = route(checkup)[0]
    if step.argv in tried:
        return "left", Mend(None, ())
    return (None, step) if can(step) else ("ready", step)


def _still(checkup: Checkup, step: Mend) -> bool:
    """Tell whether what a step was for is there still."""
    if step.finding is None:
        return checkup.outcome == "ready"
    cause = checkup.cause
    if cause is not None and rank(cause) < rank(step.finding):
        return True  # something before it broke
    return any(one.id == step.finding.id and one.status == "problem" for one in checkup.findings)
