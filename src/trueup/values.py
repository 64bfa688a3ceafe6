"""The few kinds of value that every room shares."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Param = str | int | float


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence by its code; the report room knows its words in each language.

    `code` is `ROOM.name`; `params` fill the `{named}` places of the catalog's template. A param that
    is itself a code of the catalog is written as `"@ROOM.name"`.
    """

    code: str
    params: Mapping[str, Param] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that could not be read, with the reason. It is neither a no nor a zero."""

    why: Message


@dataclass(frozen=True, slots=True)
class Source:
    """Where a fact comes from.

    `name`: document, or wheel file and member. `address`: URL or sha256, where there is one.
    `date`: the day it was read, ISO 8601. `confidence`: high, medium or low.
    `conflict`: what other sources say, where they disagree.
    """

    name: str
    date: str
    confidence: str = "high"
    address: str | None = None
    conflict: str | None = None


class TrueupError(Exception):
    """What the user can mend: asked for, found, the one reason, the next step. Exit status 2."""

    def __init__(self, message: Message, hint: Message | None = None) -> None:
        super().__init__(message.code, dict(message.params))
        self.message = message
        self.hint = hint
