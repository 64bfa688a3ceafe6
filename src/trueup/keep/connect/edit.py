"""One key of a settings file set to a text; comments, order, indentation, line ends and a mark stay."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from trueup.keep.connect.jsonc import Node, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

INDENT: Final = "    "  # what VS Code itself writes


class NotAnObject(Exception):  # noqa: N818  # a state of a file, told by its name
    """The settings, or the key that holds them, are a list or a plain value."""


def found(text: str, path: Sequence[str]) -> str | None:
    """Return the text that a key holds; None where there is no such key, or where it holds no text."""
    node = parse(text)
    for key in path:
        member = None if node is None else node.member(key)
        node = None if member is None else member.value
    return str(json.loads(text[node.start : node.end])) if node is not None and node.kind == "text" else None


def keys(text: str, path: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the keys of an object, in order."""
    node = parse(text)
    for key in path:
        member = None if node is None else node.member(key)
        node = None if member is None else member.value
    return () if node is None else tuple(member.key for member in node.members)


def changed(text: str, path: Sequence[str], value: str, newline: str) -> str:
    """Return the text with a key set. `newline` is for a file without any line.

    Raises BadJsonc, NotAnObject.
    """
    style = _Style(text, newline)
    node = parse(text)
    if node is None:
        return style.begun(path, value)
    for level, key in enumerate(path):
        if node.kind != "object":
            raise NotAnObject
        member = node.member(key)
        if member is None:
            return style.added(node, path[level:], value)
        node = member.value
    return text[: node.start] + _json(value) + text[node.end :]


class _Style:
    """How a file is written."""

    def __init__(self, text: str, newline: str) -> None:
        self._text = text
        ends = re.search(r"\r\n|\n|\r", text)
        self._newline = ends[0] if ends else newline
        unit = re.search(r"(?m)^([ \t]+)[\"/]", text)
        self._unit = unit[1] if unit else INDENT

    def begun(self, path: Sequence[str], value: str) -> str:
        """Return a file of nothing, or of comments alone, with its first key."""
        text, line = self._text, self._newline
        if text.removeprefix("\ufeff").strip() == "":
            text = "\ufeff" if text.startswith("\ufeff") else ""
        elif not text.endswith(("\n", "\r")):
            text += line
        inner = self._member(path, value, self._unit)
        return f"{text}{{{line}{self._unit}{inner}{line}}}{line}"

    def added(self, node: Node, path: Sequence[str], value: str) -> str:
        text, line = self._text, self._newline
        outer = self._indent_at(node.start)
        if not node.members:
            return self._first(node, path, value, outer)
        last = node.members[-1]
        broken = "\n" in text[node.start : node.end] or "\r" in text[node.start : node.end]
        inner = self._indent_at(last.start) if broken else ""
        if broken and not self._begins_line(last.start):
            inner = outer + self._unit
        fresh = self._member(path, value, inner) if broken else self._flat(path, value)
        gap = f"{line}{inner}" if broken else " "
        comma = "," if node.comma else ""
        if node.comma:
            return text[: node.last] + gap + fresh + comma + text[node.last :]
        value_end = last.value.end
        return text[:value_end] + "," + text[value_end : node.last] + gap + fresh + text[node.last :]

    def _first(self, node: Node, path: Sequence[str], value: str, outer: str) -> str:
        text, line = self._text, self._newline
        inner = outer + self._unit
        fresh = f"{line}{inner}{self._member(path, value, inner)}"
        rest = text[node.last :]
        if not re.match(r"\s*[\r\n]", rest):
            fresh += f"{line}{outer}"
            rest = rest.lstrip(" \t")
        return text[: node.last] + fresh + rest

    def _member(self, path: Sequence[str], value: str, indent: str) -> str:
        if len(path) == 1:
            return f"{_json(path[0])}: {_json(value)}"
        deeper = indent + self._unit
        inside = self._member(path[1:], value, deeper)
        return f"{_json(path[0])}: {{{self._newline}{deeper}{inside}{self._newline}{indent}}}"

    def _flat(self, path: Sequence[str], value: str) -> str:
        if len(path) == 1:
            return f"{_json(path[0])}: {_json(value)}"
        return f"{_json(path[0])}: {{ {self._flat(path[1:], value)} }}"

    def _line_of(self, at: int) -> str:
        start = max(self._text.rfind("\n", 0, at), self._text.rfind("\r", 0, at)) + 1
        return self._text[start:at].removeprefix("\ufeff")

    def _begins_line(self, at: int) -> bool:
        return not self._line_of(at).strip()

    def _indent_at(self, at: int) -> str:
        """Return the space that the line of a place begins with."""
        line = self._line_of(at)
        return line[: len(line) - len(line.lstrip(" \t"))]


def _json(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
