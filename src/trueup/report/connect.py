"""What connecting an editor changes, as a difference and as data."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

from trueup.report.say import say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.connect.model import Connection, Edit

SCHEMA: Final = "trueup.connect/1"


def as_text(connection: Connection, lang: str) -> str:
    """Return the difference of each file, and what is to be known."""
    lines = [line for edit in connection.edits for line in (*_difference(edit), "")]
    if not connection.edits:
        lines += [say(Message(f"connect.nothing-{connection.editor}"), lang), ""]
    lines += [say(Message("connect.note", {"text": say(note, lang)}), lang) for note in connection.notes]
    return "\n".join(lines).rstrip("\n")


def steps_text(connection: Connection, lang: str) -> str:
    """Return what only the editor can do."""
    head = say(Message("connect.next"), lang)
    steps = [f"  {number}. {say(step, lang)}" for number, step in enumerate(connection.steps, 1)]
    return "\n".join([head, *steps])


def as_data(connection: Connection, mode: str, lang: str) -> dict[str, Any]:
    """Return the `trueup.connect/1` document."""
    return {
        "schema": SCHEMA,
        "mode": mode,
        "editor": connection.editor,
        "files": [
            {"path": str(edit.path), "new": edit.before is None, "difference": list(_difference(edit))}
            for edit in connection.edits
        ],
        "steps": [{"code": step.code, "text": say(step, lang)} for step in connection.steps],
        "notes": [{"code": note.code, "text": say(note, lang)} for note in connection.notes],
    }


def _difference(edit: Edit) -> Iterator[str]:
    before, after = (
        (data or b"").decode("utf-8").removeprefix("\ufeff").splitlines()
        for data in (edit.before, edit.after)
    )
    old = "/dev/null" if edit.before is None else str(edit.path)
    yield from difflib.unified_diff(before, after, old, str(edit.path), n=2, lineterm="")
