"""The history and its differences as text, as data and as one sentence."""

from __future__ import annotations

from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from trueup.diagnose.catalog import causes
from trueup.report.check import width
from trueup.report.say import catalog, say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.history import Change, Entry
    from trueup.values import Param

SCHEMA: Final = "trueup.history/1"
DIFF_SCHEMA: Final = "trueup.diff/1"
IN_A_SENTENCE: Final = 3
IN_A_LAYER: Final = 12
TITLE_WIDTH: Final = 40
COLUMNS: Final = ("id", "when", "kind", "verdict", "times", "what", "where")


def day(seconds: int) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d")


def minute(seconds: int) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def worked_since(entry: Entry, changes: Sequence[Change], lang: str) -> Message:
    """Return "worked on …; since then …": a finding's text."""
    left = max(0, len(changes) - IN_A_SENTENCE)
    params: dict[str, Param] = {"date": day(entry.last), "count": left}
    if not changes:
        return Message("history.worked-and-nothing", params)
    told = say(Message("history.and"), lang).join(say(one.text, lang) for one in changes[:IN_A_SENTENCE])
    code = "history.worked-more" if left else "history.worked"
    return Message(code, {**params, "changes": told.lstrip("@")})


def table(entries: Sequence[Entry], lang: str) -> str:
    """Return the entries, a line each, the newest first."""
    if not entries:
        return say(Message("history.none"), lang)
    heads = tuple(say(Message(f"history.column-{name}"), lang) for name in COLUMNS)
    rows = [heads, *(cells(entry, lang) for entry in entries)]
    widths = [max(width(row[column]) for row in rows) for column in range(len(heads))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(
        cell + " " * (wide - width(cell)) for cell, wide in zip(row, widths, strict=True)
    ).rstrip()


def cells(entry: Entry, lang: str) -> tuple[str, ...]:
    kind = say(Message(f"history.kind-{entry.kind}"), lang)
    times = f"×{entry.times}" if entry.times > 1 else ""
    what = cause(entry.cause, lang) if entry.cause else _measured(entry, lang) or entry.framework
    return (
        f"#{entry.ident}", minute(entry.last), kind, verdict(entry, lang), times, what,
        entry.place or say(Message("history.no-environment"), lang),
    )  # fmt: skip


def cause(ident: str, lang: str) -> str:
    """Return a cause by its title, cut to fit a table, with the name that `trueup explain` takes."""
    known = causes().get(ident)
    title = known.words[lang][0] if known else _of_check(ident, lang)
    return f"{_cut(title)} [{ident}]" if title else ident


def _of_check(ident: str, lang: str) -> str:
    """Return what the check says of a cause that is its own, where that sentence has no blanks to fill."""
    sentence = catalog(lang, "findings").get(ident, "{}")
    return "" if "{" in sentence else sentence


def _cut(text: str) -> str:
    kept = text
    while width(kept) > TITLE_WIDTH:
        kept = kept[:-1]
    return text if kept == text else kept.rstrip() + "…"


def verdict(entry: Entry, lang: str) -> str:
    """Return the verdict's short word: a check's is the badge of its page."""
    room = "check.badge" if entry.kind == "check" else "history.verdict"
    known = {"proven", "built", "cpu-fallback"}
    if entry.kind != "check" and entry.verdict not in known:
        return entry.verdict
    return say(Message(f"{room}-{entry.verdict}"), lang)


def _measured(entry: Entry, lang: str) -> str:
    numbers = entry.numbers
    if numbers.get("accuracy") is None or not numbers.get("epoch_seconds"):
        return ""
    fastest = min(numbers["epoch_seconds"])
    params = {"accuracy": f"{numbers['accuracy']:.3f}", "seconds": f"{fastest:.2f}"}
    return say(Message("history.measured", params), lang)


def as_data(entries: Sequence[Entry], *, kept: bool) -> dict[str, Any]:
    """Return the answer of `trueup history --json`; its schema is `schemas/history-1.json`."""
    return {"schema": SCHEMA, "kept": kept, "entries": [entry_data(entry) for entry in entries]}


def entry_data(entry: Entry) -> dict[str, Any]:
    return {
        "id": entry.ident or None,
        "first": _iso(entry.first),
        "last": _iso(entry.last),
        "times": entry.times,
        "kind": entry.kind,
        "verdict": entry.verdict,
        "works": {0: None, 1: "cpu", 2: "gpu"}[int(entry.reach)],
        "cause": entry.cause,
        "framework": entry.framework,
        "environment": entry.place or None,
        "numbers": dict(entry.numbers),
    }


def _iso(seconds: int) -> str:
    return datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="seconds")


def diff_text(before: Entry, after: Entry, changes: Sequence[Change], lang: str) -> str:
    return "\n".join(_diff(before, after, changes, lang))


def _diff(before: Entry, after: Entry, changes: Sequence[Change], lang: str) -> Iterator[str]:
    yield say(Message("diff.between", {"before": _named(before, lang), "after": _named(after, lang)}), lang)
    if before.env != after.env:
        yield say(Message("diff.other-environment"), lang)
    if not changes:
        yield say(Message("diff.nothing"), lang)
    for layer, group in groupby(changes, key=lambda one: one.layer):
        listed = list(group)
        yield f"\n{say(Message(f'diff.layer-{layer}'), lang)}"
        yield from (f"  - {say(one.text, lang)}" for one in listed[:IN_A_LAYER])
        if len(listed) > IN_A_LAYER:
            yield f"  {say(Message('diff.more', {'count': len(listed) - IN_A_LAYER}), lang)}"
    if any(one.layer == "driver" and one.name == "driver" and one.kind == "changed" for one in changes):
        yield f"\n{say(Message('diff.who-updates-drivers'), lang)}"


def _named(entry: Entry, lang: str) -> str:
    if not entry.ident:
        return say(Message("diff.now"), lang)
    params: dict[str, Param] = {
        "id": entry.ident,
        "when": minute(entry.last),
        "verdict": verdict(entry, lang),
    }
    return say(Message("diff.entry", params), lang)


def diff_data(before: Entry, after: Entry, changes: Sequence[Change], lang: str) -> dict[str, Any]:
    """Return the answer of `trueup diff --json`; its schema is `schemas/diff-1.json`."""
    return {
        "schema": DIFF_SCHEMA,
        "before": entry_data(before),
        "after": entry_data(after) if after.ident else None,
        "changes": [
            {
                "layer": one.layer,
                "name": one.name,
                "kind": one.kind,
                "before": one.before,
                "after": one.after,
                "text": say(one.text, lang),
            }
            for one in changes
        ],
    }
