"""What a journal of changes says: the history, what would be taken back, what became of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from trueup.setup.changes import Change, Look, Outcome, Record

SCHEMA: Final = "trueup.undo/1"
MOST = 12  # lines of what was changed since


def history_text(records: Sequence[Record], lang: str) -> str:
    """Return the transactions, a line each, the newest first."""
    return "\n".join(_head(record, lang) for record in records) or say(Message("undo.none"), lang)


def preview_text(record: Record, looks: Sequence[Look], lang: str) -> str:
    """Return a transaction with what taking it back would do to each thing, now."""
    return "\n".join([_head(record, lang), *(line for look in looks for line in _look(look, lang))])


def outcome_text(outcomes: Sequence[Outcome], lang: str) -> str:
    return "\n".join(_line(o.change, f"result-{o.result}", o.why, lang) for o in outcomes)


def as_data(
    mode: str, rows: Sequence[tuple[Record, Sequence[Look] | Sequence[Outcome] | None]]
) -> dict[str, Any]:
    """Return the `trueup.undo/1` document."""
    return {"schema": SCHEMA, "mode": mode, "transactions": [_transaction(*row) for row in rows]}


def _transaction(record: Record, items: Sequence[Look] | Sequence[Outcome] | None) -> dict[str, Any]:
    shown = {
        "id": record.ident,
        "command": record.command,
        "time": record.time,
        "finished": record.finished,
        "undone": record.undone,
    }
    if items is None:
        return {**shown, "items": [_item(change) for change in reversed(record.changes)]}
    return {**shown, "items": [_item(item.change, item) for item in items]}


def _item(change: Change, item: Look | Outcome | None = None) -> dict[str, Any]:
    data: dict[str, Any] = {"kind": change.kind, "target": dict(change.target), "now": None, "why": None}
    if item is not None:
        data["now"] = getattr(item, "outlook", None) or getattr(item, "result", None)
        data["why"] = item.why or None
        since = getattr(item, "since", ())
        if since:
            data["since"] = [{"kind": s.kind, "what": s.what, "from": s.before, "to": s.after} for s in since]
    return data


def _head(record: Record, lang: str) -> str:
    state = "undone" if record.undone else "done" if record.finished else "cut"
    params = {"id": record.ident, "command": record.command, "time": record.time.replace("T", " ")[:16]}
    return say(Message(f"undo.head-{state}", {**params, "count": len(record.changes)}), lang)


def _look(look: Look, lang: str) -> Iterator[str]:
    yield _line(look.change, f"now-{look.outlook}", look.why, lang)
    for change in look.since[:MOST]:
        params = {"what": change.what, "before": change.before or "", "after": change.after or ""}
        yield "      " + say(Message(f"up.changed-{change.kind}", params), lang)
    if len(look.since) > MOST:
        yield "      " + say(Message("up.changed-more", {"count": len(look.since) - MOST}), lang)


def _line(change: Change, state: str, why: str, lang: str) -> str:
    what = say(Message(f"undo.{_act(change, state)}", dict(_params(change))), lang)
    return "  " + say(Message("undo.item", {"what": what, "state": say(_state(state, why), lang)}), lang)


def _state(state: str, why: str) -> Message:
    return Message(f"undo.{state}", {"why": why})


def _act(change: Change, state: str) -> str:
    """Return which words fit: what is made by the change goes, what was there before comes back."""
    if state in {"now-moves", "result-moved"}:
        return f"{change.kind}-aside" if change.kind in {"repair", "tree"} else "environment-aside"
    if change.kind == "made":
        return "environment-removed"
    if change.kind in KINDS:
        return f"{change.kind}-{'removed' if change.before is None else 'restored'}"
    return "other"


def _params(change: Change) -> Iterator[tuple[str, str]]:
    yield "kind", change.kind
    yield "name", change.name
    yield from ((key, text) for key, text in change.target.items() if key in {"from", "to", "key"})
    if change.kind == "registry":
        yield "value", change.target["name"] or "(Default)"
        yield "old", _shown(change.before)
    if change.kind == "power":
        yield "setting", change.target.get("setting", "")
        yield "old", _shown(change.before)


KINDS: Final = (
    "file",
    "folder",
    "move",
    "environment",
    "repair",
    "tree",
    "registry",
    "registry-key",
    "power",
)


def _shown(state: Any) -> str:
    if isinstance(state, str):
        return state
    if not isinstance(state, dict):
        return ""
    text = str(state.get("data", state.get("raw", state.get("value", ""))))
    return text if len(text) <= 60 else text[:57] + "..."
