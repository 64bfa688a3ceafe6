"""The marks between the parts of a line, as each language writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_COLON: Final = {"en": ": ", "zh_CN": "："}
_SEMICOLON: Final = {"en": "; ", "zh_CN": "；"}
_COMMA: Final = {"en": ", ", "zh_CN": "、"}
_CLAUSE: Final = {"en": ", ", "zh_CN": "，"}
_BRACKETS: Final = {"en": " ({})", "zh_CN": "（{}）"}


def pair(name: str, value: object, lang: str) -> str:
    """Return a name and what is said of it."""
    return f"{name}{_COLON[lang]}{value}"


def parts(texts: Iterable[str], lang: str) -> str:
    """Return the parts of one statement in a row."""
    return _SEMICOLON[lang].join(texts)


def listed(words: Iterable[str], lang: str) -> str:
    """Return words of one kind in a row."""
    return _COMMA[lang].join(words)


def clauses(texts: Iterable[str], lang: str) -> str:
    """Return short statements that make one sentence."""
    return _CLAUSE[lang].join(texts)


def aside(text: str, lang: str) -> str:
    """Return a text in brackets, to follow another."""
    return _BRACKETS[lang].format(text)
