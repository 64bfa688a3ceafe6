"""The user's mistake as data, for whoever asked for data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.report.say import say

if TYPE_CHECKING:
    from trueup.values import Message

SCHEMA = "trueup.error/1"


def as_data(message: Message, hint: Message | None, lang: str) -> dict[str, Any]:
    """Return what every `--json` answers with exit status 2; its schema is `schemas/error-1.json`."""
    said = None if hint is None else say(hint, lang)
    return {"schema": SCHEMA, "code": message.code, "error": say(message, lang), "hint": said}
