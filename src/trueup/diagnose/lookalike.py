"""Why it is not the look-alike: the first thing that its nearest rule asks for and the case does not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.catalog import causes
from trueup.diagnose.condition import AnyOf, Compare, Known, Name, Not
from trueup.diagnose.model import Lookalike
from trueup.diagnose.signals import phrases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.catalog import Rule
    from trueup.diagnose.condition import Atom, Circumstances


def lookalikes(names: tuple[str, ...], at: Circumstances) -> Iterator[Lookalike]:
    """Yield for each look-alike what speaks against it."""
    for name in names:
        rule = max(causes()[name].rules, key=lambda one: _nearness(one, at))
        failing = next((atom for atom in rule.needs if atom.holds(at) != "yes"), None)
        yield _against(name, failing, at)


def _nearness(rule: Rule, at: Circumstances) -> tuple[float, float]:
    held = sum(atom.holds(at) == "yes" for atom in rule.needs)
    return held / len(rule.needs), rule.likely


def _against(cause: str, atom: Atom | None, at: Circumstances) -> Lookalike:
    match atom:
        case None:
            return Lookalike(cause, "weaker")
        case AnyOf(inner):
            return _against(cause, inner[0], at)
        case Compare(name, sign, than):
            stated = ", ".join(map(str, at.versions.get(name, ())))
            return Lookalike(cause, "fact" if stated else "unknown", name, f"{sign} {than}", stated)
        case Known(name):
            return Lookalike(cause, "unknown", name, "", "")
        case Not(Name(name)):
            return Lookalike(cause, "instead", name, _sample(name))
        case Name(name):
            return Lookalike(cause, "relation" if ":" in name else "unseen", name, _sample(name))
        case _:
            return Lookalike(cause, "weaker")


def _sample(name: str) -> str:
    """Return a phrase of a signal as a person would write it."""
    texts = phrases().get(name, ())
    return next(iter(texts), "").strip("^$ ").replace("*", " … ").split("<", 1)[0].strip()
