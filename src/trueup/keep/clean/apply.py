"""Takes shown items away: looked at once more, then moved by one rename each, journaled, never copied."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from trueup.keep.clean.model import Done, Left
from trueup.keep.clean.trash import COMMAND, place_for, to_trash
from trueup.keep.clean.tree import measure
from trueup.keep.clean.using import against
from trueup.machine.host import HostError
from trueup.setup.changes.files import file_change
from trueup.setup.errors import SetupError
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from trueup.keep.clean.model import Item
    from trueup.keep.clean.scene import Scene
    from trueup.setup.changes import Transaction

TOOL_S: Final = 1800.0  # a cache of a hundred thousand files takes its time


def take(scene: Scene, items: Sequence[Item]) -> Done:
    """Take items away and tell where each is now. One that cannot be taken does not stop the others."""
    taken: list[tuple[Item, str]] = []
    left: list[Left] = []
    needed = scene.needed_by()
    with scene.store.begin(COMMAND) as transaction:
        for item in items:
            within = next((place for done, place in taken if _inside(item, done)), None)
            if within is not None:
                taken.append((item, within))
                continue
            try:
                answer = _take(scene, transaction, item, needed)
            except SetupError as error:
                answer = error.message
            except (OSError, HostError) as error:
                answer = Message("clean.failed", {"why": str(error)})
            if isinstance(answer, Message):
                left.append(Left(item, answer))
            else:
                taken.append((item, answer))
    return Done(tuple(taken), tuple(left))


def _inside(item: Item, other: Item) -> bool:
    return bool(item.path and other.path and other.path in item.path.parents)


def _take(
    scene: Scene, transaction: Transaction, item: Item, needed: tuple[tuple[str, str], ...]
) -> str | Message:
    """Return where the item is now, or why it stays."""
    if item.path is not None:
        return _move(scene, transaction, item, item.path, needed)
    if item.rewrite is not None:
        if item.rewrite.path.read_bytes() != item.rewrite.before:
            return Message("clean.changed")
        transaction.apply(file_change(item.rewrite.path, item.rewrite.after, scene.store.blobs))
        return ""
    if item.changes:
        now = scene.store.preview(item.changes)
        if [one.before for one in now] != [one.before for one in item.changes]:
            return Message("clean.changed")
        for change in item.changes:
            transaction.apply(change)
        return ""
    return _run(scene, item)


def _move(
    scene: Scene, transaction: Transaction, item: Item, path: Path, needed: tuple[tuple[str, str], ...]
) -> str | Message:
    if not os.path.lexists(path):
        return Message("clean.vanished")
    if measure(path) != item.size:
        return Message("clean.changed")
    for reason in against(path, scene.host.env, needed, (scene.data,)):
        if reason.hard:
            return reason.message
    goal = place_for(path, scene.data)
    if goal is None:
        return Message("clean.no-trash", {"path": str(path.parent)})
    transaction.apply(to_trash(path, goal))
    return str(goal)


def _run(scene: Scene, item: Item) -> str | Message:
    """Let the tool that owns a cache empty it. That cannot be undone."""
    result = scene.host.run(item.command, TOOL_S)
    if result is None:
        return Message("clean.no-tool", {"tool": item.command[0]})
    if result.code:
        return Message("clean.failed", {"why": (result.err or result.out).strip()[-300:]})
    return ""
