"""Which fact that nobody stated would decide, and between which causes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.diagnose.catalog import by_name
from trueup.diagnose.condition import AnyOf, Compare, Name
from trueup.diagnose.model import Ask

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.diagnose.condition import Atom, Circumstances, Truth

SURE = 0.9
MOST_ASKS = 3
PAIR = 2
FRAMEWORKS = {
    "tf": "tensorflow",
    "torch": "torch",
    "jax": "jax",
    "ort": "onnxruntime",
    "paddle": "paddlepaddle",
    "cupy": "cupy",
}
ASKABLE = (
    "tf",
    "torch",
    "python",
    "cuda",
    "cudnn",
    "driver",
    "cap",
    "win-build",
    "numpy",
    "driver-cuda",
    "ort",
    "os",
)
SYSTEMS = frozenset(("os:windows-native", "os:wsl2", "os:linux"))


@dataclass(frozen=True, slots=True)
class Near:
    """A rule that would hold if facts that nobody stated were so."""

    cause: str
    likely: float
    facts: frozenset[str]


def asks(top: float, at: Circumstances) -> tuple[Ask, ...]:
    """Return the facts that would decide; `top` is how likely the best cause is without them."""
    if top >= SURE:
        return ()
    would: dict[str, set[str]] = {}
    foreign = _foreign(at)
    nearer = [one for one in _near(at) if one.likely > top and not one.facts & foreign]
    alone = [one for one in nearer if len(one.facts) == 1]
    for near in sorted(
        alone or nearer, key=lambda one: -one.likely
    ):  # two together, where no single one decides
        for fact in sorted(near.facts)[:PAIR]:
            would.setdefault(fact, set()).add(near.cause)
    return tuple(Ask(fact, tuple(sorted(names))) for fact, names in list(would.items())[:MOST_ASKS])


def _foreign(at: Circumstances) -> frozenset[str]:
    """Return the frameworks whose version is not asked for: the case speaks of other ones only."""
    here = {name for name in FRAMEWORKS if f"framework:{name}" in at.names}
    return frozenset(FRAMEWORKS) - here if here else frozenset()


def _near(at: Circumstances) -> Iterable[Near]:
    """Yield the rules that fail only for facts that are not known."""
    keyed, free = by_name()
    for cause, rule in (*(row for name in at.names for row in keyed.get(name, ())), *free):
        truths = [(atom, _truth(atom, at)) for atom in rule.needs]
        if any(truth == "no" for _, truth in truths) or not any(
            truth == "yes" and isinstance(atom, (Name, AnyOf)) for atom, truth in truths
        ):
            continue
        names = frozenset(
            atom.name.partition(":")[0]
            for atom, truth in truths
            if truth == "unknown" and isinstance(atom, (Compare, Name))
        )
        if names and names.issubset(ASKABLE):
            yield Near(cause.id, rule.likely, names)


def _truth(atom: Atom, at: Circumstances) -> Truth:
    """Take a system that nobody named for unknown, where a rule that holds needs one."""
    unsaid = isinstance(atom, Name) and atom.name in SYSTEMS and not SYSTEMS & at.names
    return "unknown" if unsaid else atom.holds(at)
