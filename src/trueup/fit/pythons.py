"""Which Python an environment gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.fit.versions import capability
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.fit.case import Case
    from trueup.fit.choice import Choice

# The oldest that uv brings; uv 0.13, read 2026-11-30.
LEAST_BROUGHT = (3, 8)


def installed(case: Case, choice: Choice) -> tuple[str, ...]:
    """Return the Pythons of the machine that fit, as minors. A 32-bit one never does; nor does Windows' in WSL."""
    return tuple(
        p for p in choice.pythons(case.asked.python) if _minor(p) in at_hand(case, choice.builds[0].platform)
    )


def at_hand(case: Case, platform: str) -> set[str]:
    found = case.machine.pythons
    here = "windows" if case.machine.os == "windows" else "linux"
    if isinstance(found, Unknown) or platform != here:
        return set()
    return {_minor(p.version) for p in found if p.bits == 64}


def pick(case: Case, choice: Choice) -> str:
    """Return an installed one if it fits, else the middle of what the wheels exist for: the best tried one."""
    fitting = choice.pythons(case.asked.python)
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
