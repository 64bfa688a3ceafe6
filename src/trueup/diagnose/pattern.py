"""The small language in which the catalog describes lines.

A pattern is a phrase. `*` stands for anything in the line, `<name:kind>` for a value of a kind,
a leading `^` and a trailing `$` for the ends of the line. Each piece between two stars is looked for
once, left to right, so the work grows with the length of the line and never faster.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

KINDS = {
    "ver": r"v?([0-9]{1,9}(?:[._][0-9]{1,9}){0,5})",
    "int": r"([0-9]{1,12})",
    "word": r"([a-z0-9_+.\-]{1,120})",
    "quoted": r"['\"`]?([^'\"`\s]{1,240})['\"`]?",
}
PLACE = re.compile(r"<([a-z0-9\-]+):([a-z]+)>")
NUMBER_PLACE = re.compile(r"<[a-z0-9\-]+:(?:ver|int)>")
OPEN = re.compile(r"\*|<[a-z0-9\-]+:[a-z]+>")
TOKEN = re.compile(r"[a-z]{3,}|[0-9]{6,}")
LONGEST_LINE = 4000


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled phrase. `words` are those that every matching line holds; none in other scripts."""

    text: str
    pieces: tuple[re.Pattern[str], ...]
    names: tuple[tuple[str, ...], ...]
    start: bool
    end: bool
    words: tuple[str, ...]
    literal: str
    squeezed: tuple[str, ...]

    def match(self, line: str) -> dict[str, str] | None:
        """Return the values of a folded line that the phrase fits, else None."""
        if self.literal not in line:
            return None
        at = 0
        values: dict[str, str] = {}
        for number, (piece, names) in enumerate(zip(self.pieces, self.names, strict=True)):
            hit = piece.match(line) if self.start and number == 0 else piece.search(line, at)
            if hit is None:
                return None
            values.update(zip(names, hit.groups(), strict=True))
            at = hit.end()
        return values if not self.end or at == len(line) else None


def compile_pattern(text: str) -> Pattern:
    """Compile a phrase; it must be in lower case and hold at least one literal piece."""
    body = text.removeprefix("^")
    start, end = body != text, body.endswith("$")
    body = body.removesuffix("$")
    parts = [part for part in body.split("*") if part]
    pieces, names, literals = [], [], []
    for number, part in enumerate(parts):
        expression, found, words = _piece(part)
        tail = "$" if end and number == len(parts) - 1 else ""
        pieces.append(re.compile(expression + tail))
        names.append(found)
        literals.extend(words)
    return Pattern(
        text,
        tuple(pieces),
        tuple(names),
        start,
        end,
        _words(body),
        max(literals, key=len, default=""),
        _squeezed(literals),
    )


def loosened(pattern: Pattern) -> Pattern:
    """Return the phrase with spaces that may be missing."""
    pieces = tuple(re.compile(piece.pattern.replace("\\ ", " ?")) for piece in pattern.pieces)
    return replace(pattern, pieces=pieces, literal="")


def _piece(part: str) -> tuple[str, tuple[str, ...], list[str]]:
    expression, names, literals, at = "", [], [], 0
    for place in PLACE.finditer(part):
        literal = part[at : place.start()]
        expression += re.escape(literal) + KINDS[place[2]]
        literals.append(literal)
        names.append(place[1])
        at = place.end()
    literals.append(part[at:])
    return expression + re.escape(part[at:]), tuple(names), [one for one in literals if one]


def _words(body: str) -> tuple[str, ...]:
    """Return the words that a line must hold whole: not those that a star or an open value may go on."""
    words: dict[str, bool] = {}
    bare = NUMBER_PLACE.sub(" ", body)
    for literal in OPEN.split(bare):
        for hit in TOKEN.finditer(literal):
            whole = (hit.start() > 0 or bare.startswith(literal)) and (
                hit.end() < len(literal) or bare.endswith(literal)
            )
            words[hit[0]] = words.get(hit[0], False) or whole
    return tuple(word for word, whole in words.items() if whole) or tuple(words)


def _squeezed(literals: list[str]) -> tuple[str, ...]:
    return tuple(filter(None, map(squeeze, literals)))


QUOTES = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "´": "'", "\t": " ", "\u00a0": " ", "：": ":"}
)
SPACES = re.compile(r" {2,}")
LOOKALIKES = str.maketrans("0158|!", "oisbll")
NOT_WORD = re.compile(r"[\W_]+")


def fold(line: str) -> str:
    """Return the line as patterns see it: lower case, plain quotes, single spaces, single backslashes."""
    text = line[:LONGEST_LINE].translate(QUOTES).lower().replace("\\\\", "\\")
    return SPACES.sub(" ", text).strip()


def squeeze(text: str) -> str:
    """Return the text as a bad scan leaves it: no spaces, no punctuation, look-alike characters joined."""
    return NOT_WORD.sub("", text.lower().translate(LOOKALIKES)).replace("l", "i")


def tokens(line: str) -> set[str]:
    return set(TOKEN.findall(line))
