"""JSON with comments and trailing commas, as editors keep their settings: where each value stands in the text.

Nothing is ever written back from the values: an edit replaces or adds the text of one key, and the rest of the
file stays as it is to the byte.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal["object", "array", "text", "other"]
Fault = Literal["expected-value", "expected-key", "expected-colon", "expected-comma", "open", "after", "deep"]
DEEPEST: Final = 100
_SPACE: Final = " \t\r\n"
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"true\b|false\b|null\b|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")


class BadJsonc(Exception):  # noqa: N818  # a state of a file, told by its name
    """The text is no JSON with comments. Lines and columns count from 1, columns in characters."""

    def __init__(self, text: str, at: int, fault: Fault) -> None:
        super().__init__(fault)
        self.fault: Fault = fault
        before = text[:at].replace("\r\n", "\n").replace("\r", "\n")
        self.line = before.count("\n") + 1
        self.column = len(before) - (before.rfind("\n") + 1) + 1


@dataclass(frozen=True, slots=True)
class Member:
    key: str
    start: int  # of the key's opening quote
    value: Node


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands: `text[start:end]`.

    Of an object: `comma` tells whether a comma follows the last member, `last` is the end of what stands before
    the closing brace, comments included.
    """

    kind: Kind
    start: int
    end: int
    members: tuple[Member, ...] = ()
    comma: bool = False
    last: int = 0

    def member(self, key: str) -> Member | None:
        """Return the member that counts: editors take the last one of a name."""
        return next((one for one in reversed(self.members) if one.key == key), None)


def parse(text: str) -> Node | None:
    """Return the value of a text; None where it holds nothing but space and comments. Raises BadJsonc."""
    reader = _Reader(text)
    at, _ = reader.skip(1 if text.startswith("\ufeff") else 0)
    if at == len(text):
        return None
    root = reader.value(at, 0)
    end, _ = reader.skip(root.end)
    if end != len(text):
        raise BadJsonc(text, end, "after")
    return root


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text

    def skip(self, at: int) -> tuple[int, int]:
        """Return where the next token begins, and where the last comment before it ended (`at`: none)."""
        text, end = self._text, at
        while at < len(text):
            if text[at] in _SPACE:
                at += 1
            elif text.startswith("//", at):
                found = re.compile(r"[\r\n]").search(text, at)
                at = end = found.start() if found else len(text)
            elif text.startswith("/*", at):
                close = text.find("*/", at + 2)
                if close < 0:
                    raise BadJsonc(text, at, "open")
                at = end = close + 2
            else:
                break
        return at, end

    def value(self, at: int, depth: int) -> Node:
        text = self._text
        if depth > DEEPEST:
            raise BadJsonc(text, at, "deep")
        first = text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._array(at, depth)
        if found := (_STRING if first == '"' else _SCALAR).match(text, at):
            return Node("text" if first == '"' else "other", at, found.end())
        raise BadJsonc(text, at, "open" if first == '"' else "expected-value")

    def _object(self, start: int, depth: int) -> Node:
        text, comma = self._text, False
        members: list[Member] = []
        at, last = self.skip(start + 1)
        while text[at : at + 1] != "}":
            if members and not comma:
                raise BadJsonc(text, at, "expected-comma" if at < len(text) else "open")
            member = self._member(at, depth)
            members.append(member)
            at, last = self.skip(member.value.end)
            comma = text[at : at + 1] == ","
            if comma:
                at, last = self.skip(at + 1)
        return Node("object", start, at + 1, tuple(members), comma, last)

    def _member(self, at: int, depth: int) -> Member:
        text = self._text
        key = _STRING.match(text, at)
        if key is None:
            raise BadJsonc(text, at, "expected-key" if at < len(text) else "open")
        colon, _ = self.skip(key.end())
        if text[colon : colon + 1] != ":":
            raise BadJsonc(text, colon, "expected-colon")
        begin, _ = self.skip(colon + 1)
        return Member(json.loads(key[0]), at, self.value(begin, depth + 1))

    def _array(self, start: int, depth: int) -> Node:
        text, comma, empty = self._text, False, True
        at, _ = self.skip(start + 1)
        while text[at : at + 1] != "]":
            if not empty and not comma:
                raise BadJsonc(text, at, "expected-comma" if at < len(text) else "open")
            at, _ = self.skip(self.value(at, depth + 1).end)
            comma, empty = text[at : at + 1] == ",", False
            if comma:
                at, _ = self.skip(at + 1)
        return Node("array", start, at + 1)
