"""From the words about a card to its compute capability."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from packaging.version import Version

from trueup.facts import load

if TYPE_CHECKING:
    from collections.abc import Iterable

SPLIT = re.compile(r",|;|\+|/|\band\b|&")
NOISE = re.compile(
    r"\([^)]{0,60}\)|^\s*\d{1,2}\s*x\s+|\b\d{1,3}(?:\.\d)?\s?(?:gb|gib|g)\b|\bnvidia\b|\bgpu\b|\bone\b|\btwo\b",
    re.IGNORECASE,
)
BARE = re.compile(r"\b(?:geforce )?(\d{3,4}m?)\b", re.IGNORECASE)
IN_LOG = re.compile(
    r"(?:geforce (?:rtx|gtx|gt|mx)|rtx|gtx|quadro|tesla|titan) ?[a-z]{0,4} ?\d{2,4}[a-z]{0,2}(?: (?:ti|super|laptop|d|max-q))?",
    re.IGNORECASE,
)


@functools.cache
def capabilities(words: str) -> tuple[Version, ...]:
    """Return what the stated cards can do; empty where no card is recognised."""
    found: list[Version] = []
    for part in SPLIT.split(words):
        name = NOISE.sub(" ", part).strip()
        if name:
            found.extend(_of(name))
    return tuple(dict.fromkeys(found))


def _of(name: str) -> list[Version]:
    for wanted in (name, *(f"GeForce GTX {digits}" for digits in BARE.findall(name)[:1])):
        match = load().card(wanted)
        if match.vendor not in ("nvidia", "unknown"):
            return []
        if match.capabilities:
            return [Version(text) for text in match.capabilities]
    return []


def in_lines(lines: Iterable[str]) -> tuple[Version, ...]:
    """Return the capabilities of the cards that lines name."""
    names = dict.fromkeys(name.strip() for line in lines for name in IN_LOG.findall(line))
    return tuple(dict.fromkeys(one for name in list(names)[:8] for one in capabilities(name)))
