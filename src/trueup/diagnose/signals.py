"""The table of known lines, and the search for them in a log of any size."""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from dataclasses import dataclass, field
from importlib import resources
from typing import TYPE_CHECKING, Any

from trueup.diagnose.inner import inner_imports
from trueup.diagnose.model import Observation
from trueup.diagnose.noise import looks_scanned, matches, parted, repaired, squeezed, vocabulary
from trueup.diagnose.pattern import LONGEST_LINE, TOKEN, Pattern, compile_pattern, fold
from trueup.diagnose.template import stated
from trueup.diagnose.text import clean, decode_line, is_quoted
from trueup.diagnose.unpack import unpacked
from trueup.diagnose.wrap import joins, unwrapped

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from trueup.diagnose.noise import Row

SHAPELESS = b"0123456789abcdefABCDEF .:,-_\r\xe2\x94\x95\x96\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\xbf\xbd"
WORDS = re.compile(rb"[a-z]{3,}|[0-9]{6,}")
MOST_SHAPES = 200_000
MOST_HITS = 40
HEAD, TAIL = 16_000, 8_000  # bytes of a line that are read: what has no end tells most at its ends
OVERLAP = 500  # characters that two pieces of a long line share
KEPT_EACH = 4
KEPT_MOST = 32
SMALL_LOG = 2000
STATED_WITHIN = 400
SCANNED_WITHIN = 300
# What a line may hold beside a fault: where it runs, what it was built with, that something went wrong.
BY_THE_WAY = (
    "text-",
    "log-",
    "in-",
    "gpu-",
    "cpu-",
    "says-",
    "error-",
    "own-",
    "note-",
    "name-",
    "cudnn-file",
)
EVIDENCE_LENGTH = 400
# What a list of packages, a variable or a card can tell; other words in them are names of things that are there.
FACTS = (
    *(
        "text-",
        "log-",
        "gpu-",
        "cpu-",
        "note-",
        "says-",
        "in-c",
        "python-is-",
        "visible-",
        "mixed-cu",
        "ort-",
    ),
    *("store-python", "scheduler", "nvidia-wheels", "cupy-multiple", "conda-cpu-string", "torch-cpu-version"),
    *("both-tf-packages", "releases-meet", "directml", "nouveau-owns", "linux-driver-in-wsl", "one-gpu"),
    *("small-second-gpu", "tcc-card", "stub-path", "toolkit-on-ld-path", "ld-library-path", "venv-words"),
)


@dataclass(frozen=True, slots=True)
class Table:
    """Patterns by the word that each of them needs; those without such a word (short ones, other scripts) apart."""

    by_word: Mapping[str, tuple[tuple[str, Pattern], ...]]
    short: tuple[tuple[str, Pattern], ...]
    foreign: tuple[tuple[str, Pattern], ...]
    words: frozenset[bytes]
    words_of: Mapping[str, frozenset[str]]

    def match(self, folded: str, *, whole: bool = False) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield the signals of a line; with `whole` only by phrases in one piece."""
        for word in set(TOKEN.findall(folded)):
            for signal, pattern in self.by_word.get(word, ()):
                if pattern.literal not in folded or (whole and len(pattern.pieces) > 1):
                    continue
                values = pattern.match(folded)
                if values is not None:
                    yield signal, values
        if whole:
            return
        for signal, pattern in self.short if folded.isascii() else (*self.short, *self.foreign):
            if pattern.literal in folded:
                values = pattern.match(folded)
                if values is not None:
                    yield signal, values


@functools.cache
def compiled(phrase: str) -> Pattern:
    return compile_pattern(phrase)


def build(signals: Mapping[str, Iterable[str]]) -> Table:
    """File each phrase under the rarest of its words."""
    rows = [(signal, compiled(phrase)) for signal, texts in signals.items() for phrase in texts]
    counts = Counter(word for _, pattern in rows for word in pattern.words)
    by_word: dict[str, list[tuple[str, Pattern]]] = {}
    words_of: dict[str, set[str]] = {}
    others = []
    for signal, pattern in rows:
        if pattern.words:
            anchor = min(pattern.words, key=lambda word: (counts[word], -len(word)))
            by_word.setdefault(anchor, []).append((signal, pattern))
            words_of.setdefault(signal, set()).add(anchor)
        else:
            others.append((signal, pattern))
    words = frozenset(word.encode() for word in by_word)
    short = tuple(row for row in others if row[1].literal.isascii())
    foreign = tuple(row for row in others if not row[1].literal.isascii())
    files = {word: tuple(row) for word, row in by_word.items()}
    return Table(files, short, foreign, words, {name: frozenset(row) for name, row in words_of.items()})


def data_files(prefix: str) -> Iterator[tuple[str, dict[str, Any]]]:
    folder = resources.files("trueup.diagnose").joinpath("data")
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.name.startswith(prefix) and entry.name.endswith(".json"):
            yield entry.name, json.loads(entry.read_text("utf-8"))


@functools.cache
def phrases() -> Mapping[str, tuple[str, ...]]:
    """Return every signal with its phrases."""
    found: dict[str, tuple[str, ...]] = {}
    for _, rows in data_files("signals-"):
        for signal, texts in rows.items():
            found[signal] = tuple(texts)
    return found


@functools.cache
def table() -> Table:
    return build(phrases())


@functools.cache
def words() -> frozenset[str]:
    return vocabulary(phrases())


@functools.cache
def rows_squeezed() -> tuple[Row, ...]:
    return squeezed(phrases())


@dataclass(slots=True)
class Scan:
    """What was seen so far. Flat in memory: few observations a signal, a bounded set of line shapes."""

    seen: set[bytes] = field(default_factory=set)
    hits: dict[bytes, int] = field(default_factory=dict)
    found: list[Observation] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    values: dict[str, set[str]] = field(default_factory=dict)
    full: set[str] = field(default_factory=set)
    wanted: frozenset[bytes] = field(default_factory=lambda: table().words)
    number: int = 0
    start: list[tuple[int, str]] = field(default_factory=list)
    quoted: int = 0

    def block(self, lines: list[bytes]) -> None:
        """Take whole lines. Beyond the start of a log, lines that differ in numbers only are looked at once."""
        known, hits = self.seen, self.hits
        shapes = b"\n".join(lines).translate(None, SHAPELESS).split(b"\n")
        number = self.number
        for line, shape in zip(lines, shapes, strict=True):
            number += 1
            if number > SMALL_LOG:
                if shape in known:
                    continue
                known.add(shape)
                if line.isascii() and self.wanted.isdisjoint(WORDS.findall(line.lower())):
                    continue
            if self._line(number, line) and hits.get(shape, 0) < MOST_HITS:
                hits[shape] = hits.get(shape, 0) + 1
                known.discard(shape)
        self.number = number
        if len(known) > MOST_SHAPES:
            known.clear()

    def _line(self, number: int, raw: bytes) -> bool:
        hit = False
        ends = raw if len(raw) <= HEAD + TAIL else raw[:HEAD] + b"\r" + raw[-TAIL:]
        for part in decode_line(ends).split("\r"):
            for line in unpacked(part):
                text = clean(line)
                if text and number <= SMALL_LOG:
                    self.start.append((number, text[:LONGEST_LINE]))
                    self.quoted += is_quoted(line)
                for piece in _pieces(text):
                    hit = self._match(number, piece, fold(piece)) or hit
        return hit

    def _match(self, number: int, text: str, folded: str) -> bool:
        hit = False
        for signal, values in table().match(folded):
            hit = hit or signal not in self.full
            self._keep(Observation(signal, number, text.strip()[:EVIDENCE_LENGTH], values))
        return hit

    def _keep(self, one: Observation) -> None:
        if one.signal in self.full:
            return
        values = self.values.setdefault(one.signal, set())
        count = self.counts.get(one.signal, 0)
        if count < KEPT_EACH or not values.issuperset(one.values.values()):
            self.counts[one.signal] = count + 1
            values.update(one.values.values())
            self.found.append(one)
            if count + 1 >= (KEPT_MOST if one.values else KEPT_EACH):
                self._close(one.signal)

    def _close(self, signal: str) -> None:
        """Look no more for a line that was seen often enough."""
        self.full.add(signal)
        files = table().by_word
        done = [w for w in table().words_of.get(signal, ()) if all(name in self.full for name, _ in files[w])]
        self.wanted -= {word.encode() for word in done}

    def finish(self) -> tuple[Observation, ...]:
        """Look again at a small log: messages broken over two lines, and letters lost in a screenshot."""
        if self.number <= SMALL_LOG:
            self._broken_lines()
            for number, text in inner_imports(self.start):
                self._keep(Observation("releases-meet", number, text.strip()[:EVIDENCE_LENGTH], {}))
            self._bad_scan()
        return tuple(sorted(self.found, key=lambda one: one.line))

    def stated(self) -> dict[str, str]:
        """Return the facts that lines near the start state, as the forms of issue trackers ask for them."""
        return stated(text for _, text in self.start[:STATED_WITHIN])

    def _broken_lines(self) -> None:
        for (number, first), (_, second) in zip(self.start, self.start[1:], strict=False):
            alone = {name for text in (first, second) for name, _ in table().match(fold(text))}
            for text in joins(first, second):
                for name, values in table().match(fold(text), whole=True):
                    if name not in alone:
                        self._keep(Observation(name, number, text[:EVIDENCE_LENGTH], values))
        for number, text in unwrapped(self.start, quoted=self.quoted * 2 > len(self.start)):
            for name, values in table().match(fold(text)):
                if name not in self.counts:
                    self._keep(Observation(name, number, text.strip()[:EVIDENCE_LENGTH], values))

    def _bad_scan(self) -> None:
        loud = {one.line for one in self.found if not one.signal.startswith(BY_THE_WAY)}
        for number, text in self.start[:SCANNED_WITHIN]:
            line = text[:EVIDENCE_LENGTH]
            plain, bad = fold(line), looks_scanned(line)
            mended = parted(fold(repaired(line)) if bad else plain, words())
            found = dict(table().match(mended)) if mended != plain else {}
            if bad and number not in loud:
                found = {**dict(matches(line, rows_squeezed())), **found}
            for signal, values in found.items():
                self._keep(Observation(signal, number, line.strip(), values))


def _pieces(text: str) -> Iterator[str]:
    """Yield a line as patterns take it: one that is too long in pieces that overlap."""
    for at in range(0, max(len(text) - OVERLAP, 1) if text else 0, LONGEST_LINE - OVERLAP):
        yield text[at : at + LONGEST_LINE]


def scanned(text: str) -> Scan:
    scan = Scan()
    if text:
        scan.block(text.encode("utf-8", "surrogatepass").split(b"\n"))
    return scan


def scan_given(texts: Mapping[str, str], read: Collection[str] = ()) -> tuple[Observation, ...]:
    """Stated facts are lines too: `key: words`. Of what a survey `read`, a name is a fact and never a symptom."""
    found = []
    for key, value in texts.items():
        text = f"{key}: {value}"
        for signal, values in table().match(fold(text)):
            if key not in read or signal.startswith(FACTS):
                found.append(Observation(signal, 0, text, values))
    return tuple(found)
