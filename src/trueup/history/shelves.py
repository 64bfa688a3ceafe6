"""Differences of lists: cards, copies of CUDA and cuDNN, the folders of PATH."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.history.model import Change
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.history.model import Facts

CARDS: Final = "card/cards"
COPIES: Final = "cuda/copies"
PATH: Final = "path/entries"


def plain(text: str) -> str:
    """Return a text as a message may hold it: one that begins with "@" would name another message."""
    return text.lstrip("@")


def _lists(before: Facts, after: Facts, key: str) -> tuple[list[str], list[str]] | None:
    """Return both lists, where both were read."""
    old, new = before.get(key), after.get(key)
    return (old, new) if isinstance(old, list) and isinstance(new, list) else None


def cards(before: Facts, after: Facts) -> Iterator[Change]:
    found = _lists(before, after, CARDS)
    if found is None:
        if isinstance(before.get(CARDS), list) and isinstance(after.get(CARDS), dict):
            yield Change(
                "card", "cards", "unread", before[CARDS], after[CARDS], Message("history.cards-unread")
            )
        return
    for name in _surplus(found[0], found[1]):
        yield Change("card", name, "gone", name, None, Message("history.card-gone", {"name": plain(name)}))
    for name in _surplus(found[1], found[0]):
        yield Change("card", name, "new", None, name, Message("history.card-new", {"name": plain(name)}))


def _surplus(many: Sequence[str], others: Sequence[str]) -> list[str]:
    """Return what the first list has more of; two cards of one name are two."""
    left = list(others)
    found = []
    for one in many:
        if one in left:
            left.remove(one)
        else:
            found.append(one)
    return found


def copies(before: Facts, after: Facts) -> Iterator[Change]:
    """Yield copies that came, went or were replaced, and another one that the loader now meets first."""
    found = _lists(before, after, COPIES)
    if found is None:
        return
    old, new = ([_split(one) for one in side] for side in found)
    was, now = {one[3]: one for one in old}, {one[3]: one for one in new}
    for path in was.keys() - now.keys():
        yield _of_copy("gone", was[path], was[path][1], None)
    for path in now.keys() - was.keys():
        yield _of_copy("new", now[path], None, now[path][1])
    for path in was.keys() & now.keys():
        if was[path][1] != now[path][1]:
            yield _of_copy("changed", now[path], was[path][1], now[path][1])
        elif was[path][2] != now[path][2]:
            yield _searched(now[path])
    for kind, old_first in _firsts(old).items():
        new_first = _firsts(new).get(kind)
        if new_first is not None and new_first[3] != old_first[3]:
            yield _in_front(old_first, new_first)


def _split(text: str) -> tuple[str, str, str, str]:
    kind, version, searched, path = text.split("|", 3)
    return kind, version, searched, path


def _firsts(listed: Sequence[tuple[str, str, str, str]]) -> dict[str, tuple[str, str, str, str]]:
    found: dict[str, tuple[str, str, str, str]] = {}
    for one in listed:
        if one[2] == "searched":
            found.setdefault(one[0], one)
    return found


def _of_copy(step: Any, copy: tuple[str, str, str, str], before: str | None, after: str | None) -> Change:
    params = {
        "what": f"@history.copy-{copy[0]}",
        "path": plain(copy[3]),
        "before": before or "",
        "after": after or "",
    }
    return Change("cuda", copy[3], step, before, after, Message(f"history.copy-is-{step}", params))


def _searched(copy: tuple[str, str, str, str]) -> Change:
    code = "history.copy-searched" if copy[2] == "searched" else "history.copy-not-searched"
    params = {"what": f"@history.copy-{copy[0]}", "version": copy[1], "path": plain(copy[3])}
    return Change("cuda", copy[3], "order", None, copy[2], Message(code, params))


def _in_front(old: tuple[str, str, str, str], new: tuple[str, str, str, str]) -> Change:
    params = {
        "what": f"@history.copy-{new[0]}",
        "after": new[1],
        "path": plain(new[3]),
        "old": plain(old[3]),
        "before": old[1],
    }
    return Change("cuda", new[0], "order", old[3], new[3], Message("history.copy-in-front", params))


def folders(before: Facts, after: Facts) -> Iterator[Change]:
    """Yield the folders that PATH won and lost; a new order only where it has the same folders."""
    found = _lists(before, after, PATH)
    if found is None or found[0] == found[1]:
        return
    old, new = found
    gone, came = [one for one in old if one not in new], [one for one in new if one not in old]
    for one in gone:
        yield Change("path", one, "gone", one, None, Message("history.path-gone", {"path": plain(one)}))
    for one in came:
        after_old = any(other in old for other in new[: new.index(one)])
        code = "history.path-new" if after_old else "history.path-new-front"
        yield Change("path", one, "new", None, one, Message(code, {"path": plain(one)}))
    if [one for one in old if one in new] != [one for one in new if one in old]:
        yield Change("path", "order", "order", old, new, Message("history.path-order"))
