"""Values as the user reads and writes them: `on`, `60`, `4GB`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULT: Final = "default"
_SIZE = re.compile(r"(\d+) ?([KMGT]?)i?B?", re.IGNORECASE)
_POWERS: Final = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}


def told(value: Any, way: Mapping[str, Any]) -> Message:
    """Return what a stored value means; a value that nobody knows is shown as it is."""
    if value is None:
        default = way.get("default")
        return (
            Message("tune.not-set")
            if default is None
            else Message("tune.default", {"value": _plain(default, way)})
        )
    return Message("tune.value", {"value": _plain(value, way)})


def _plain(value: Any, way: Mapping[str, Any]) -> str:
    word = next((word for word, own in way.get("choices", {}).items() if own == value), None)
    if word is not None:
        return str(word)
    if "bytes_most" in way and str(value).isdigit():
        return shown_size(int(value))
    return str(value)


def value_of(name: str, word: str, way: Mapping[str, Any]) -> Any:
    """Return what to store for a word; None for the default. Raises TrueupError that says what is allowed."""
    if word == DEFAULT:
        return None
    choices = way.get("choices")
    if choices:
        if word in choices:
            return choices[word]
        raise _refused(name, word, ", ".join([*choices, DEFAULT]))
    if "bytes_most" in way:
        size = bytes_of(word)
        if size is not None and 0 < size <= way["bytes_most"]:
            return str(size)
        raise _refused(name, word, f"1MB … {shown_size(way['bytes_most'])}, {DEFAULT}")
    if word.isascii() and word.isdigit() and way["least"] <= int(word) <= way["most"]:
        return int(word)
    raise _refused(name, word, f"{way['least']} … {way['most']}, {DEFAULT}")


def _refused(name: str, word: str, allowed: str) -> TrueupError:
    return TrueupError(
        Message("tune.bad-value", {"name": name, "value": word}),
        Message("tune.bad-value-hint", {"name": name, "allowed": allowed}),
    )


def allowed(way: Mapping[str, Any]) -> str:
    """Return what may stand after `NAME=`."""
    if "bytes_most" in way:
        return f"1MB … {shown_size(way['bytes_most'])}, {DEFAULT}"
    return ", ".join([*way.get("choices", (f"{way.get('least')} … {way.get('most')}",)), DEFAULT])


def bytes_of(word: str) -> int | None:
    """Return the bytes of `4GB`, `512MB` or a plain number."""
    found = _SIZE.fullmatch(word.strip())
    return None if found is None else int(found[1]) << (10 * _POWERS[found[2].upper()])


def shown_size(size: int) -> str:
    for power, unit in ((30, "GB"), (20, "MB"), (10, "KB")):
        if size >= 1 << power and size % (1 << power) == 0:
            return f"{size >> power}{unit}"
    return str(size)
