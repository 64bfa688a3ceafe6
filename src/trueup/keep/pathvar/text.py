"""The text of a PATH: taken apart and put together without losing a character."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NAME: Final = re.compile(r"%([^%;]+)%")
_DEPTH: Final = 4  # a variable may name others


def split(text: str, separator: str) -> list[str]:
    """Return the entries as written. Between quotes, Windows takes a `;` for a part of a name."""
    if separator not in text:
        return [text] if text else []
    if separator != ";" or '"' not in text:
        return text.split(separator)
    parts, start, quoted = [], 0, False
    for at, letter in enumerate(text):
        if letter == '"':
            quoted = not quoted
        elif letter == separator and not quoted:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def join(parts: Sequence[str], separator: str) -> str:
    return separator.join(parts)


def expand(text: str, variables: Mapping[str, str]) -> tuple[str, bool]:
    """Return an entry with its `%NAME%`s put in, and whether each had a value. Names are upper case."""
    for _ in range(_DEPTH):
        new = _NAME.sub(lambda found: variables.get(found[1].upper(), found[0]), text)
        if new == text:
            break
        text = new
    return text, _NAME.search(text) is None


def bare(text: str) -> str:
    """Return an entry without quotes and without the spaces that Windows drops."""
    return text.replace('"', "").strip()
