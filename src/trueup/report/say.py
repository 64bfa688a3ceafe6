"""Messages by code, in the user's language. One JSON file a room and language, read when first needed."""

from __future__ import annotations

import functools
import json
import locale
import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.values import Message, Param

LANGUAGES = ("en", "zh_CN")
MESSAGES = Path(__file__).with_name("messages")


def language(asked: str | None = None) -> str:
    """Return the catalog for an asked language or the locale; English where there is none."""
    variables = (os.environ.get(k) for k in ("LC_ALL", "LC_MESSAGES", "LANG"))
    first = asked or next(filter(None, variables), None) or locale.getlocale()[0] or ""
    return "zh_CN" if first.lower().replace("-", "_").startswith(("zh", "chinese")) else "en"


@functools.cache
def catalog(lang: str, room: str) -> Mapping[str, str]:
    """Return the templates of one room; code without the room -> template."""
    text = (MESSAGES / lang / f"{room}.json").read_text("utf-8")
    templates: dict[str, str] = json.loads(text)
    return templates


def say(message: Message, lang: str) -> str:
    """Return the sentence of a message."""
    room, _, name = message.code.partition(".")
    return catalog(lang, room)[name].format_map({k: _param(v, lang) for k, v in message.params.items()})


def _param(value: Param, lang: str) -> Param:
    if isinstance(value, str) and value.startswith("@"):
        room, _, name = value[1:].partition(".")
        return catalog(lang, room)[name]
    return value
