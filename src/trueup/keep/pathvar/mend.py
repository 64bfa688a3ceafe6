"""The named rules that mend a PATH. Each touches entries, never their spelling; what stays keeps its order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from trueup.keep.pathvar.text import bare, join, split
from trueup.keep.pathvar.variables import same
from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_size
from trueup.machine.pythons.windows import apps_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.keep.pathvar.model import Entry, Variable
    from trueup.machine.host import Host

Rule = Literal[
    "dead",  # the folder is not there
    "duplicate",  # an earlier entry is the same folder
    "empty",
    "stub-last",  # the Store's aliases go behind the Pythons
    "pair",  # a Python's Scripts stand right behind it
]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)
_OF_STATE: Final[dict[str, Rule]] = {
    "dead": "dead",
    "file": "dead",
    "duplicate": "duplicate",
    "empty": "empty",
}


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the difference: ` ` stays, `-` goes, `+` comes. `rule` says why; of a moved entry at both places."""

    mark: Literal[" ", "-", "+"]
    text: str
    rule: Rule | None = None
    twin: str = ""


@dataclass(frozen=True, slots=True)
class Mended:
    """A PATH before and after."""

    before: str
    after: str
    lines: tuple[Line, ...]

    @property
    def changed(self) -> bool:
        return self.before != self.after


def mend(host: Host, variable: Variable, rules: Iterable[Rule] = RULES) -> Mended:
    """Return the PATH of Windows as the rules would have it."""
    wanted = frozenset(rules)
    why = {
        number: rule
        for number, entry in enumerate(variable.entries)
        if (rule := _OF_STATE.get(entry.state)) in wanted and rule is not None
    }
    kept = [number for number in range(len(variable.entries)) if number not in why]
    moved: dict[int, Rule] = {}
    if "stub-last" in wanted:
        kept = _stub_last(host, variable.entries, kept, moved)
    if "pair" in wanted:
        kept = _pair(host, variable.entries, kept, moved)
    return _mended(variable, why, kept, moved)


def _mended(variable: Variable, why: dict[int, Rule], kept: list[int], moved: dict[int, Rule]) -> Mended:
    if not why and not moved:
        return Mended(variable.text, variable.text, tuple(Line(" ", e.text) for e in variable.entries))
    parts = split(variable.text, ";")
    end = parts[len(variable.entries) :]  # the `;` at the end stays
    after = join([*(parts[number] for number in kept), *end], ";")
    return Mended(variable.text, after, tuple(_lines(variable.entries, why, kept, moved)))


def _lines(
    entries: tuple[Entry, ...], why: dict[int, Rule], kept: list[int], moved: dict[int, Rule]
) -> list[Line]:
    """Walk the new order; what goes or is moved is shown where it stood, too."""
    lines: list[Line] = []
    rest = list(range(len(entries)))

    def gone_until(stop: int | None) -> None:
        while rest and rest[0] != stop:
            number = rest.pop(0)
            entry = entries[number]
            lines.append(Line("-", entry.text, why.get(number) or moved.get(number), entry.twin))

    for number in kept:
        if number in moved:
            lines.append(Line("+", entries[number].text, moved[number]))
        else:
            gone_until(number)
            rest.pop(0)
            lines.append(Line(" ", entries[number].text))
    gone_until(None)
    return lines


def _stub_last(host: Host, entries: tuple[Entry, ...], kept: list[int], moved: dict[int, Rule]) -> list[int]:
    apps = same(host, apps_folder(host))
    stubs = [number for number in kept if same(host, entries[number].folder) == apps]
    if not stubs or quiet_size(host, path_of(host).join(apps_folder(host), "python.exe")) != 0:
        return kept
    behind = kept[kept.index(stubs[0]) + 1 :]
    if not any(_has(host, entries[number], "python.exe") for number in behind):
        return kept
    moved[stubs[0]] = "stub-last"
    return [*(number for number in kept if number != stubs[0]), stubs[0]]


def _pair(host: Host, entries: tuple[Entry, ...], kept: list[int], moved: dict[int, Rule]) -> list[int]:
    """Put the first Python's Scripts behind it where another Python's come before."""
    paths = path_of(host)
    free = [number for number in kept if number not in moved]
    python = next((n for n in free if _has(host, entries[n], "python.exe")), None)
    pip = next((n for n in free if _has(host, entries[n], "pip.exe")), None)
    if python is None or pip is None:
        return kept
    own = same(host, paths.join(bare(entries[python].folder), "Scripts"))
    scripts = next((n for n in free if same(host, entries[n].folder) == own), None)
    if scripts in (None, pip) or not _has(host, entries[scripts], "pip.exe"):
        return kept
    moved[scripts] = "pair"
    rest = [number for number in kept if number != scripts]
    at = rest.index(python)
    if rest.index(pip) < at:  # a foreign pip stands before the Python itself: its folder goes behind
        rest.remove(pip)
        moved[pip] = "pair"
        at = rest.index(python)
        return [*rest[: at + 1], scripts, pip, *rest[at + 1 :]]
    return [*rest[: at + 1], scripts, *rest[at + 1 :]]


def _has(host: Host, entry: Entry, name: str) -> bool:
    """Tell whether a program is in the folder; the Store's empty aliases are none."""
    return entry.state == "ok" and bool(quiet_size(host, path_of(host).join(entry.folder, name)))
