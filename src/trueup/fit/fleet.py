"""Several machines: one environment that serves all, or the smallest set of environments that does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.fit.align import align
from trueup.fit.binding import binding
from trueup.fit.case import read_case
from trueup.fit.explain import rejections
from trueup.fit.rank import measure, ranked, state
from trueup.fit.solve import open_fields, status_of
from trueup.fit.wish import understand

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.fit.case import Case
    from trueup.fit.choice import Choice
    from trueup.fit.field import Field
    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Alignment, Status, Wish
    from trueup.fit.rank import Measure
    from trueup.machine.model import Machine

Key = tuple[int, ...]  # identities of builds: the packages of an environment


@dataclass(frozen=True, slots=True)
class Member:
    """A machine in a group, with the group's packages as they are aligned to it."""

    name: str
    status: Status
    alignment: Alignment


@dataclass(frozen=True, slots=True)
class Fleet:
    """`groups` share an environment each, the largest first; nothing fits the `unserved`."""

    groups: tuple[tuple[Member, ...], ...]
    unserved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Standing:
    case: Case
    fields: list[Field]
    status: Status
    choices: dict[Key, Choice]  # that reach the machine's best state


def solve_fleet(wish: Wish, machines: Mapping[str, Machine], facts: Knowledge) -> Fleet:
    """Return environments such that no machine is served worse than it would be alone.

    The set is found greedily: the packages that serve most of what is left come first.
    """
    asked = understand(wish, facts)
    standings = {name: _standing(read_case(machine, asked, facts)) for name, machine in machines.items()}
    left = {name: standing for name, standing in standings.items() if standing}
    groups: list[tuple[Member, ...]] = []
    while left:
        key, names = _widest(left)
        groups.append(tuple(_member(name, left.pop(name), key) for name in names))
    return Fleet(tuple(groups), tuple(name for name, standing in standings.items() if standing is None))


def _standing(case: Case) -> _Standing | None:
    fields, _ = open_fields(case, whole=True)
    found = [choice for field in fields for choice in field.choices]
    if not found:
        return None
    best = ranked(case, found)[0]
    alike = [choice for choice in found if state(case, choice) <= state(case, best)]
    by_key: dict[Key, list[Choice]] = {}
    for choice in alike:
        by_key.setdefault(tuple(id(build) for build in choice.builds), []).append(choice)
    return _Standing(
        case, fields, status_of(best), {key: ranked(case, same)[0] for key, same in by_key.items()}
    )


def _widest(left: Mapping[str, _Standing]) -> tuple[Key, list[str]]:
    """Return the packages that serve most machines, of those the best for the first machine that they serve."""
    served: dict[Key, list[str]] = {}
    for name, standing in left.items():
        for key in standing.choices:
            served.setdefault(key, []).append(name)
    most = max(map(len, served.values()))
    widest = [key for key, names in served.items() if len(names) == most]

    def order(key: Key) -> list[Measure]:
        first = left[served[key][0]]
        return measure(first.case, first.choices[key])

    best = min(widest, key=order)
    return best, served[best]


def _member(name: str, standing: _Standing, key: Key) -> Member:
    choice = standing.choices[key]
    rejected = rejections(standing.case, standing.fields, [choice])
    reason = binding(standing.case, standing.fields, choice, rejected)
    return Member(name, standing.status, align(standing.case, choice, reason))
