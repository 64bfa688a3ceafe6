"""What can be cleaned up, as text and data: size, reason, how sure, what speaks against it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.redact import redact_all
from trueup.report.say import say
from trueup.values import Message, Param

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from trueup.keep.clean.model import Done, Item, Left, Size
    from trueup.keep.clean.trash import Trashed

SCHEMA: Final = "trueup.clean/1"
_UNITS: Final = ("B", "kB", "MB", "GB", "TB")


def list_text(items: Sequence[Item], failed: Sequence[tuple[str, str]], lang: str) -> str:
    """Return all items by kind, each with its short name, and what to do next."""
    lines: list[str] = []
    for kind in dict.fromkeys(item.kind for item in items):
        lines += [
            _say(f"kind-{kind}", lang),
            *(line for one in items if one.kind == kind for line in _item(one, lang)),
            "",
        ]
    lines += [_say("search-failed", lang, search=name, why=why) for name, why in failed]
    if not items:
        return "\n".join([*lines, _say("nothing", lang)])
    offered = [item for item in items if item.offered]
    lines.append(_say("total", lang, count=len(items), all=len(offered), size=_sum(offered)))
    lines += ["", _say("hint-list", lang, item=_example(items))]
    return "\n".join(lines)


def _example(items: Sequence[Item]) -> str:
    best = sorted(items, key=lambda item: (not item.offered, not item.doable))
    return best[0].handle


def _item(item: Item, lang: str) -> Iterator[str]:
    size = f"  {human(item.size)}" if item.size else ""
    yield f"  {item.handle}  {shown(item.name)}{size}"
    yield "      " + _say("reason", lang, sure=_say(f"sure-{item.sure}", lang), why=_shown(item.why, lang))
    yield from (f"      {_shown(message, lang)}" for message in item.about)
    if item.own:
        yield "      " + _say("own", lang, files=", ".join(map(shown, item.own)))
    yield from (f"      {_shown(one.message, lang)}" for one in item.against)
    if item.command:
        yield "      " + _say("tool", lang, command=_line(item.command))
    if item.steps:
        yield "      " + _say("steps", lang)
        yield from (f"        {step}" for step in item.steps)


def plan_text(items: Sequence[Item], refused: Sequence[Left], lang: str) -> str:
    """Return just what would be done, before it is asked for."""
    lines = [_say("will", lang)] if items else []
    for item in items:
        lines += [*_item(item, lang), "      " + _act(item, lang)]
    lines += [*(_left(one, lang) for one in refused)]
    if not items and not refused:
        lines.append(_say("nothing", lang))
    if items:
        lines += ["", _say("will-total", lang, count=len(items), size=_sum(items))]
    return "\n".join(lines)


def _act(item: Item, lang: str) -> str:
    act = "act-command" if item.command else "act-move" if item.path else "act-change"
    return _say(act, lang, command=_line(item.command))


def _left(left: Left, lang: str) -> str:
    return "  " + _say(
        "left", lang, item=left.item.handle, name=shown(left.item.name), why=_shown(left.why, lang)
    )


def done_text(done: Done, lang: str) -> str:
    lines = []
    for item, place in done.taken:
        lines.append(
            "  " + _say("moved" if place else "done", lang, name=shown(item.name), path=shown(place))
        )
    lines += [_left(one, lang) for one in done.left]
    moved = [item for item, place in done.taken if place]
    if done.taken:
        lines += ["", _say("finished", lang, count=len(done.taken), size=_sum([i for i, _ in done.taken]))]
        lines.append(_say("hint-trash" if moved else "hint-undo", lang))
    return "\n".join(lines)


def trash_text(found: Sequence[Trashed], lang: str) -> str:
    if not found:
        return _say("trash-empty", lang)
    lines = [
        "  "
        + _say(
            "trash-item",
            lang,
            path=shown(str(x.path)),
            origin=shown(str(x.origin)),
            time=x.time,
            size=human(x.size),
        )
        for x in found
    ]
    total = sum(one.size.bytes for one in found)
    return "\n".join([_say("trash-head", lang), *lines, _say("trash-total", lang, size=_bytes(total))])


def human(size: Size) -> str:
    """Return a size as people say it; `>` where not all was counted."""
    return ("" if size.whole else ">") + _bytes(size.bytes)


def _sum(items: Sequence[Item]) -> str:
    sizes = [item.size for item in items if item.size]
    total = sum(size.bytes for size in sizes)
    return ("" if all(size.whole for size in sizes) else ">") + _bytes(total)


def _bytes(count: float) -> str:
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            return f"{count:.0f} {unit}" if unit == "B" or count >= 100 else f"{count:.1f} {unit}"
        count /= 1000
    return str(count)


def shown(text: str) -> str:
    """Return a name as one line: no letter in it may start a new one or move the cursor."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def _shown(message: Message, lang: str) -> str:
    params = {key: shown(value) if isinstance(value, str) else value for key, value in message.params.items()}
    return say(Message(message.code, params), lang)


def _line(command: Sequence[str]) -> str:
    return " ".join(f'"{word}"' if " " in word else word for word in command)


def _say(name: str, lang: str, /, **params: Param) -> str:
    return say(Message(f"clean.{name}", params), lang)


def as_data(
    mode: str, items: Sequence[Item], done: Done | None = None, failed: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """Return the `trueup.clean/1` document."""
    places = {item.handle: place for item, place in done.taken} if done else {}
    left = {one.item.handle: one.why.code for one in done.left} if done else {}
    document = {
        "schema": SCHEMA,
        "mode": mode,
        "items": [
            {**_data(item), "result": _result(item, places, left), "trash": places.get(item.handle) or None}
            for item in items
        ],
        "failed": [{"search": name, "why": why} for name, why in failed],
    }
    cleaned: dict[str, Any] = redact_all(document)
    return cleaned


def _result(item: Item, places: Mapping[str, str], left: Mapping[str, str]) -> str | None:
    return "taken" if item.handle in places else left.get(item.handle)


def _data(item: Item) -> dict[str, Any]:
    return {
        "item": item.handle,
        "kind": item.kind,
        "name": item.name,
        "why": item.why.code,
        "sure": item.sure,
        "offered": item.offered,
        "doable": item.doable,
        "bytes": item.size.bytes if item.size else None,
        "files": item.size.files if item.size else None,
        "counted_whole": item.size.whole if item.size else None,
        "own": list(item.own),
        "against": [one.message.code for one in item.against],
        "command": list(item.command),
        "steps": list(item.steps),
    }


def trash_data(mode: str, found: Sequence[Trashed], failed: Mapping[str, str]) -> dict[str, Any]:
    """Return the `trueup.clean/1` document of the trash."""
    rows = [
        {
            "path": str(one.path),
            "origin": str(one.origin),
            "time": one.time,
            "bytes": one.size.bytes,
            "failed": failed.get(str(one.path)),
        }
        for one in found
    ]
    cleaned: dict[str, Any] = redact_all({"schema": SCHEMA, "mode": mode, "trash": rows})
    return cleaned
