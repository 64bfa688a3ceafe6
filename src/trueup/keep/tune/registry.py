"""Settings that are one value of the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.keep.tune.model import Setting
from trueup.keep.tune.words import allowed, told, value_of
from trueup.setup.changes.registry import registry_changes
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.keep.tune.model import Row, Verdict
    from trueup.keep.tune.scene import Scene
    from trueup.setup.changes import Change


def registry_setting(scene: Scene, row: Row) -> Setting:
    """Read a setting, and say what it would become."""
    way = row.registry or {}
    now = scene.value(way["key"], way["value"])
    if isinstance(now, Unknown):
        return Setting(row, "unknown", now)
    word = scene.asked.word(row, way["goal"])
    why = Message(f"tune.why-{row.name}")
    if word is None:
        hint = Message("tune.say-which", {"name": row.name, "allowed": allowed(way)})
        return Setting(row, "wish", told(now, way), why=why, notes=(hint,))
    goal = value_of(row.name, word, way)
    if same(now, goal, way) and _followers_fit(scene, goal, way):
        return Setting(row, "good", told(now, way), why=why)
    return Setting(
        row,
        _verdict(scene, row, way),
        told(now, way),
        goal=told(goal, way),
        word=word,
        why=why,
        changes=tuple(_changes(way, goal)),
    )


def same(now: Any, goal: Any, way: Mapping[str, Any]) -> bool:
    """Tell whether a value does what the goal does: an absent one does what the default says."""
    default = way.get("default")
    return bool((default if now is None else now) == (default if goal is None else goal))


def _followers_fit(scene: Scene, goal: Any, way: Mapping[str, Any]) -> bool:
    """Tell whether the values that go with it fit; at the default nothing need be written."""
    if goal is None or goal == way.get("default"):
        return True
    return all(scene.value(way["key"], name) == goal for name in way.get("also", ()))


def _verdict(scene: Scene, row: Row, way: Mapping[str, Any]) -> Verdict:
    return "advised" if way["advised"] or scene.asked.names(row) else "wish"


def _changes(way: Mapping[str, Any], goal: Any) -> Iterator[Change]:
    kind = None if goal is None else way["type"]
    for name in (way["value"], *way.get("also", ())):
        yield from registry_changes(way["key"], name, kind, goal)
