"""Which Python an environment gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.versions import capability

if TYPE_CHECKING:
    from trueup.fit.case import Case
    from trueup.fit.choice import Choice

# The oldest that uv brings; uv 0.13, read 2026-11-30.
LEAST_BROUGHT = (3, 8)


def installed(case: Case, choice: Choice) -> tuple[str, ...]:
    """Return the Pythons of the machine that fit. Those of Windows are of no use inside WSL2."""
    here = at_hand(case, choice.builds[0].platform)
    return tuple(p for p in choice.pythons if _minor(p) in here) if here else ()


def at_hand(case: Case, platform: str) -> frozenset[str]:
    return (
        case.pythons if platform == ("windows" if case.machine.os == "windows" else "linux") else frozenset()
    )


def pick(case: Case, choice: Choice) -> str:
    """Return an installed one if it fits, else the middle of what the wheels exist for: the best tried one."""
    fitting = choice.pythons
    modern = tuple(p for p in fitting if capability(_minor(p)) >= LEAST_BROUGHT) or fitting
    middle = modern[len(modern) // 2]
    here = installed(case, choice)
    if not here:
        return middle
    return min(here, key=lambda p: (abs(_order(p) - _order(middle)), -_order(p)))


def _order(python: str) -> int:
    return capability(_minor(python))[1]


def _minor(python: str) -> str:
    return ".".join(python.split(".")[:2])
