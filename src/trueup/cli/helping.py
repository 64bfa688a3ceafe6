"""Help pages by the width that letters have on the screen: a Chinese one takes two columns, and words have no blanks."""

from __future__ import annotations

import re
import shutil
import unicodedata
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST: Final = 78
LEAST: Final = 30
_WIDE: Final = "\u2e80-\u9fff\uf900-\ufaff"
_OPEN: Final = "（“‘《"
_CLOSE: Final = "，。；：、！？）”’》…"
# Code stays in one piece where it can; a mark never begins a line, nor does an opening bracket end one.
_ATOM: Final = re.compile(rf"[{_OPEN}]*(?:`[^`]*`|[{_WIDE}]|[^\s`{_WIDE}{_OPEN}{_CLOSE}]+)?[{_CLOSE}]*|\S")


class Formatter(click.HelpFormatter):
    """Click's help, with lines that fit also where text is Chinese or the terminal is narrow."""

    def __init__(self) -> None:
        columns = shutil.get_terminal_size().columns
        super().__init__(width=max(min(columns - 2, MOST), LEAST))

    def write_heading(self, heading: str) -> None:
        colon = "：" if cells(heading) > len(heading) else ":"
        self.write(f"{'':>{self.current_indent}}{heading}{colon}\n")

    def write_usage(self, prog: str, args: str = "", prefix: str | None = "") -> None:
        begin = f"{prefix or ''}{prog} "
        hang = " " * min(cells(begin), self.width // 3)
        self._write([begin + "\0", *args.split()], " " * self.current_indent, hang)

    def write_text(self, text: str) -> None:
        margin = " " * self.current_indent
        for line in wrap(text, self.width - len(margin)):
            self.write(f"{margin}{line}\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        rows = list(rows)
        widest = max((cells(name) for name, _ in rows), default=0)
        column = min(widest, col_max, self.width // 3) + col_spacing
        margin = " " * self.current_indent
        for name, text in rows:
            lines = list(wrap(text, self.width - len(margin) - column))
            if cells(name) + col_spacing <= column and lines:
                begin = name + " " * (column - cells(name)) + lines.pop(0)
                self.write(f"{margin}{begin}\n")
            else:
                for part in _parted(name, self.width - len(margin)):
                    self.write(f"{margin}{part}\n")
            for line in lines:
                self.write(f"{margin}{' ' * column}{line}\n")

    def _write(self, words: Sequence[str], margin: str, hang: str) -> None:
        line = ""
        for word in words:
            glue = "" if not line or line.endswith("\0") else " "
            if line and cells(line.replace("\0", "") + glue + word) > self.width:
                self.write(f"{margin}{line.replace(chr(0), '').rstrip()}\n")
                line, glue = hang, ""
            line += glue + word
        self.write(f"{margin}{line.replace(chr(0), '').rstrip()}\n")


def cells(text: str) -> int:
    """Return how many columns a text takes."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def wrap(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a text; between Chinese letters a line may end, in code only where nothing else helps."""
    line = ""
    for blank, piece in _pieces(text):
        glue = " " if blank and line else ""
        if line and cells(line + glue + piece) > width:
            yield line
            line, glue = "", ""
        line += glue + piece
        while cells(line) > width:
            head, line = _cut(line, width)
            yield head
    if line:
        yield line


def _pieces(text: str) -> Iterator[tuple[bool, str]]:
    """Yield what is not parted, and whether a blank stands before it."""
    for word in re.findall(r"(?:`[^`]*`|[^\s`])+|`", text):
        kept, blank = "", True
        for atom in (found[0] for found in _ATOM.finditer(word) if found[0]):
            if kept and (_is_wide(kept[-1]) or _is_wide(atom[0])):
                yield blank, kept
                kept, blank = "", False
            kept += atom
        if kept:
            yield blank, kept


def _is_wide(letter: str) -> bool:
    return cells(letter) == 2


def _cut(line: str, width: int) -> tuple[str, str]:
    """Part a piece that is longer than a line: at a blank, at a bar, else anywhere."""
    fitting = len(line)
    while cells(line[:fitting]) > width:
        fitting -= 1
    for mark in (" ", "|"):
        at = line.rfind(mark, 1, fitting)
        if at > 0:
            return line[: at + 1].rstrip(), line[at + 1 :]
    return line[:fitting], line[fitting:]


def _parted(name: str, width: int) -> Iterator[str]:
    """Yield the lines of a name that is wider than the page, such as one with all that an option takes."""
    hang = ""
    while cells(hang + name) > width:
        head, name = _cut(name, width - len(hang))
        yield hang + head
        hang = "    "
    yield hang + name
