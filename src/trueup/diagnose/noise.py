"""Text that a machine read off a picture: spaces lost, 0 for o, 1 for l."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from trueup.diagnose.pattern import compile_pattern, fold, loosened, squeeze

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from trueup.diagnose.pattern import Pattern

Row = tuple[str, str, tuple[str, ...]]
SCANNED = re.compile(r"[A-Za-z]{22,}|[A-Za-z][01|!][A-Za-z]|\.d[1l|]{2}\b|[a-z]{3}[01][a-z]")
REPAIRS = (
    (re.compile(r"\.d[1l|]{2}\b", re.IGNORECASE), ".dll"),
    (re.compile(r"(?<=[A-Za-z])0(?=[A-Za-z_])|(?<=[\s'\"(:.])0(?=[a-z]{2})"), "o"),
    (re.compile(r"(?<=[A-Za-z])[1|!](?=[a-z])|(?<=[\s'\"(:.])1(?=[a-z]{3})"), "l"),
    (re.compile(r"(?<=[a-z]{2})1(?=[\s'\":,.]|$)"), "l"),
    (re.compile(r"(?<=[a-z]{2})0(?=[\s'\":,.]|$)"), "o"),
    (re.compile(r"(?<=[\d.])[oO](?=[\d.]|\b)"), "0"),
    (re.compile(r"(?<=[\d.])[lI](?=[\d.])"), "1"),
)
RUN = re.compile(r"[a-z]{5,40}")
STUCK = re.compile(r"(?<![\w./-])([a-z]{6,20})(?=\d{1,4}(?:\.\d|\b))")
LITTLE = frozenset(
    [
        "as",
        "and",
        "at",
        "be",
        "but",
        "by",
        "dll",
        "for",
        "from",
        "gpu",
        "in",
        "is",
        "it",
        "no",
        "not",
        "of",
        "on",
        "or",
        "the",
        "that",
        "this",
        "to",
        "too",
        "was",
        "we",
        "with",
        "your",
        "so",
    ]
)
SHORTEST = 13  # squeezed phrases below this length are no longer distinct


def vocabulary(phrases: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """Return the words of the catalog and the little ones between them."""
    words = {word for texts in phrases.values() for text in texts for word in re.findall(r"[a-z]{2,}", text)}
    return frozenset(words | LITTLE)


def parted(folded: str, known: frozenset[str]) -> str:
    """Return a folded line with spaces set where words that the catalog knows have run together."""
    line = RUN.sub(lambda hit: hit[0] if hit[0] in known else _split(hit[0], known), folded)
    return STUCK.sub(lambda hit: f"{hit[1]} " if hit[1] in known else hit[1], line)


def _split(run: str, known: frozenset[str], most: int = 4) -> str:
    """Cut a run of letters into at most four known words, the longest first; itself where that fails."""
    for at in range(len(run) - 2, 1, -1):
        if run[:at] in known and (at >= 4 or run[:at] in LITTLE):
            rest = run[at:]
            if rest in known:
                return f"{run[:at]} {rest}"
            if most > 2 and len(rest) >= 4:
                tail = _split(rest, known, most - 1)
                if tail != rest:
                    return f"{run[:at]} {tail}"
    return run


def looks_scanned(text: str) -> bool:
    return SCANNED.search(text) is not None


def repaired(text: str) -> str:
    """Return the text with look-alike characters set right where their neighbours tell."""
    for pattern, other in REPAIRS:
        text = pattern.sub(other, text)
    return text


@functools.cache
def _loose(phrase: str) -> Pattern:
    return loosened(compile_pattern(phrase))


def squeezed(phrases: Mapping[str, Iterable[str]]) -> tuple[Row, ...]:
    """Return the phrases as a bad scan shows them; only those long enough to stay distinct."""
    rows = []
    for signal, texts in phrases.items():
        for text in texts:
            parts = compile_pattern(text).squeezed
            if sum(map(len, parts)) >= SHORTEST:
                rows.append((signal, text, parts))
    return tuple(rows)


def matches(text: str, rows: Iterable[Row]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the signals of a line that was read badly; values as far as they can still be made out."""
    flat, mended = squeeze(text), fold(repaired(text))
    for signal, phrase, parts in rows:
        if _in_order(flat, parts):
            yield signal, _loose(phrase).match(mended) or {}


def _in_order(text: str, parts: tuple[str, ...]) -> bool:
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True
