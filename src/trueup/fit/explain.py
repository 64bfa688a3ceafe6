"""What was ruled out, grouped: of the options that fail for the same reasons the newest stands for all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.model import Outcome, Rejection
from trueup.fit.offer import ended
from trueup.fit.rules.verdict import no
from trueup.fit.shelf import newest_asked
from trueup.fit.unique import unique
from trueup.fit.versions import version

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from trueup.facts.model import Build
    from trueup.fit.case import Case
    from trueup.fit.choice import Choice
    from trueup.fit.field import Field
    from trueup.fit.model import Route, Verdict
    from trueup.fit.option import Option
    from trueup.fit.wish import Ask


def rejections(case: Case, fields: Sequence[Field], ranked: Sequence[Choice]) -> tuple[Rejection, ...]:
    """Return what each route does not give as the machine is: newer releases, or anything at all."""
    found: list[Rejection] = []
    for field in fields:
        here = next((c for c in ranked if c.route == field.route and not c.changed), None)
        found += _of_field(case, field, here)
    return unique(found)


def _of_field(case: Case, field: Field, here: Choice | None) -> Iterator[Rejection]:
    if field.closed:
        for ask, verdict in field.closed:
            yield Rejection(field.route, _asked(case, ask), (verdict,))
        return
    for ask, column in zip(case.asked.asks, field.columns, strict=True):
        yield from _newer(case, ask, field.route, column)
        held = None if case.every else _held(here, ask)
        better = [o for o in column if held is None or _newer_than(o.candidate.build, held)]
        yield from _all_groups(field.route, better) if case.every else _groups(field.route, better)
    if here is None and field.joint:
        first, second, verdicts = field.joint
        name = f"{_name(first.candidate.build)} + {_name(second.candidate.build)}"
        yield Rejection(field.route, name, verdicts)


def _groups(route: Route, options: Iterable[Option]) -> Iterator[Rejection]:
    """Leave out what only adds reasons to those of a newer release."""
    seen: list[set[str]] = []
    for option in options:
        reasons = _reasons(option)
        rules = {v.rule for v in reasons}
        if rules and not any(earlier <= rules for earlier in seen):
            seen.append(rules)
            yield Rejection(route, _name(option.candidate.build), reasons)


def _all_groups(route: Route, options: Iterable[Option]) -> Iterator[Rejection]:
    seen: dict[tuple[str, ...], tuple[tuple[Verdict, ...], list[str]]] = {}
    for option in options:
        reasons = _reasons(option)
        if reasons:
            key = tuple(sorted({v.rule for v in reasons}))
            seen.setdefault(key, (reasons, []))[1].append(_name(option.candidate.build))
    for reasons, names in seen.values():
        unlike = list(dict.fromkeys(names))
        yield Rejection(route, unlike[0], reasons, tuple(unlike[1:]))


def _reasons(option: Option) -> tuple[Verdict, ...]:
    return tuple(v for v in option.verdicts if v.outcome in (Outcome.NO, Outcome.CHANGE))


def _newer(case: Case, ask: Ask, route: Route, column: Sequence[Option]) -> Iterator[Rejection]:
    """Say that a route's builds end before the framework's do."""
    newest, last = newest_asked(case.facts, ask), column[0].candidate.build
    if newest and _newer_than(newest, last):
        yield Rejection(route, _name(newest), (ended(route, ask, last),))


def route_not_asked(route: Route) -> Verdict:
    return no("route-not-asked", "route-not-asked", route=f"@fit.route-{route}")


def cpu_not_asked() -> Verdict:
    return no("gpu-required", "gpu-required")


def _asked(case: Case, ask: Ask) -> str:
    """Return what stands for a wish on a route that has nothing: the newest release that was asked for."""
    newest = newest_asked(case.facts, ask)
    return _name(newest) if newest else ask.text


def _held(choice: Choice | None, ask: Ask) -> Build | None:
    builds = choice.builds if choice else ()
    return next((b for b in builds if b.framework == ask.framework), None)


def _newer_than(one: Build, other: Build) -> bool:
    return version(one.version) > version(other.version)


def _name(build: Build) -> str:
    return f"{build.framework} {build.version}"
