"""The catalog of causes: authored data, read once."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.diagnose.condition import Atom, Name, compared_in, names_in, parse
from trueup.diagnose.model import Step
from trueup.diagnose.signals import data_files
from trueup.values import Source

if TYPE_CHECKING:
    from collections.abc import Mapping


LAYERS = (
    "gpu", "driver", "os", "vcruntime", "python", "cuda", "cudnn", "path", "packages", "framework", "runtime", "code", "none"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rule:
    """`likely` is the share of such cases in which the cause is the true one."""

    likely: float
    needs: tuple[Atom, ...]


@dataclass(frozen=True, slots=True)
class Cause:
    """`words`: title and explanation by language. `shows`: texts that people search for."""

    id: str
    layer: str
    words: Mapping[str, tuple[str, str]]
    shows: tuple[str, ...]
    rules: tuple[Rule, ...]
    unlike: tuple[str, ...]
    remedy: tuple[Step, ...]
    sources: tuple[Source, ...]

    def signals(self) -> frozenset[str]:
        return frozenset().union(*(names_in(atom) for rule in self.rules for atom in rule.needs))

    def facts(self) -> frozenset[str]:
        return frozenset().union(*(compared_in(atom) for rule in self.rules for atom in rule.needs))


def _step(row: Any) -> Step:
    return Step(row) if isinstance(row, str) else Step(row[0], row[1])


def _cause(name: str, layer: str, row: Mapping[str, Any], rules: list[list[Any]]) -> Cause:
    return Cause(
        name,
        layer,
        {"en": tuple(row["en"]), "zh_CN": tuple(row["zh_CN"])},
        tuple(row.get("shows", ())),
        tuple(Rule(rule[0], tuple(map(parse, rule[1:]))) for rule in rules),
        tuple(row.get("unlike", ())),
        tuple(map(_step, row["remedy"])),
        tuple(_sources()[one] for one in row["sources"]),
    )


@functools.cache
def _sources() -> Mapping[str, Source]:
    rows = next(rows for name, rows in data_files("sources"))
    return {name: Source(row["name"], row["date"], address=row["address"]) for name, row in rows.items()}


@functools.cache
def causes() -> Mapping[str, Cause]:
    """Return the causes by id, in the order of the catalog."""
    rules: dict[str, list[list[Any]]] = {}
    for _, lines in data_files("rules-"):
        rules.update(lines)
    found = {}
    for layer in LAYERS:
        rows = next(rows for _, rows in data_files(f"causes-{layer}."))
        for name, row in rows.items():
            found[name] = _cause(name, row.get("layer", layer), row, rules[name])
    return found


@functools.cache
def by_name() -> tuple[Mapping[str, tuple[tuple[Cause, Rule], ...]], tuple[tuple[Cause, Rule], ...]]:
    """Return the rules by a name that each of them needs, and those that need none by itself."""
    keyed: dict[str, list[tuple[Cause, Rule]]] = {}
    free: list[tuple[Cause, Rule]] = []
    for cause in causes().values():
        for rule in cause.rules:
            key = next((atom.name for atom in rule.needs if isinstance(atom, Name)), None)
            (free if key is None else keyed.setdefault(key, [])).append((cause, rule))
    return {name: tuple(rows) for name, rows in keyed.items()}, tuple(free)
