"""Plain words to the pages that speak of them: what people type who have no error line at hand."""

from __future__ import annotations

import difflib
import functools
import json
import math
import re
from collections import Counter
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WORD = re.compile(r"[a-z0-9][a-z0-9.+]*")
HAN = re.compile(r"[\u3400-\u9fff]+")
NUMBER = re.compile(r"[\d.]+")
PAGE = "@"  # before the name of a page that a word means for certain
IDLE = frozenset(("a", "an", "the", "my", "is", "are", "not", "to", "of", "on", "in", "and", "or", "why", "how", "does",
                  "do", "it", "with", "for", "vs", "error", "problem", "fix", "help", "i", "no"))  # fmt: skip
HEAD, BODY = 3.0, 1.0
SHOWN, KEPT = 8, 0.45  # pages at most, and the share of the best that a page must reach
SHORTEST_STEM, CLOSE = 4, 0.8
OF_NUMBERS = 0.3  # a number alone says little


@dataclass(frozen=True, slots=True)
class Entry:
    """`head`: its name, layer and titles; `body`: what else it says."""

    name: str
    head: str
    body: str


def nearest(text: str, entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the names of the pages that speak of the words of a text, best first."""
    pages = [(one.name, frozenset(terms(one.head)), frozenset(terms(one.body))) for one in entries]
    known = Counter(term for _, head, body in pages for term in head | body)
    asked = tuple(dict.fromkeys(_asked(text.lower(), known)))
    named = [one[1:] for names in asked for one in names if one.startswith(PAGE)]
    scores = {name: _score(asked, head, body, known, len(pages)) for name, head, body in pages}
    best = max(scores.values(), default=0.0)
    ranked = sorted((name for name in scores if scores[name] > 0), key=lambda name: -scores[name])
    first = tuple(dict.fromkeys(name for name in named if name in scores))
    rest = (name for name in ranked if scores[name] >= KEPT * best and name not in first)
    return (*first, *rest)[:SHOWN]


def terms(text: str) -> list[str]:
    """Return the words of a text; Chinese as pairs of characters, as it has no spaces."""
    lower = text.lower()
    pairs = [run[at : at + 2] for run in HAN.findall(lower) for at in range(max(len(run) - 1, 1))]
    return [word.strip(".") for word in WORD.findall(lower)] + pairs


def _asked(text: str, known: Mapping[str, int]) -> Iterable[tuple[str, ...]]:
    """Yield for each word what it may be called on a page: itself, its synonyms, what is spelled nearly so."""
    rest = text
    for word, others in _synonyms().items():
        found = (
            word in rest if HAN.match(word) else re.search(rf"(?<![a-z]){re.escape(word)}s?(?![a-z])", rest)
        )
        if found:
            yield (*terms(word), *others)
            rest = rest.replace(word, " ")
    for term in (one for one in terms(rest) if one not in IDLE):
        spelt = len(term) < SHORTEST_STEM or term in known or not term.isalpha()
        near = () if spelt else difflib.get_close_matches(term, known, 2, CLOSE)
        yield (term, *near)


def _score(
    asked: Iterable[tuple[str, ...]],
    head: frozenset[str],
    body: frozenset[str],
    known: Mapping[str, int],
    pages: int,
) -> float:
    score, met, number = 0.0, 0, 0
    for names in asked:
        number += not NUMBER.fullmatch(names[0])
        worth = [
            (HEAD if _holds(head, name) else BODY if _holds(body, name) else 0.0)
            * (0.4 + math.log(pages / known.get(name, 1)))
            * (OF_NUMBERS if NUMBER.fullmatch(name) else 1.0)
            for name in names
            if not name.startswith(PAGE)
        ]
        score += max(worth, default=0.0)
        met += any(worth) and not NUMBER.fullmatch(names[0])
    return score * met / number if number else score


def _holds(words: frozenset[str], name: str) -> bool:
    stem = len(name) >= SHORTEST_STEM
    return name in words or (stem and any(word.startswith(name) for word in words))


@functools.cache
def _synonyms() -> Mapping[str, tuple[str, ...]]:
    text = resources.files("trueup.diagnose").joinpath("data", "words.json").read_text("utf-8")
    rows: dict[str, list[str]] = json.loads(text)["words"]
    return {word: tuple(rows[word]) for word in sorted(rows, key=len, reverse=True)}
