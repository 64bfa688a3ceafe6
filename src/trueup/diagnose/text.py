"""Bytes of a log, in whatever form they come, to clean lines."""

from __future__ import annotations

import codecs
import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|[@-Z\\-_])|\[0?[0-9;]{0,8}m"
)
TAG = re.compile(r"</?(?:span|div|pre|p|br|b|i|code|tt|font|ansi|td|tr)\b[^<>]{0,300}>", re.IGNORECASE)
# What mail and compose put before a line; three brackets are Python's own prompt.
QUOTED = re.compile(r"^[ \t]{0,4}(?!>>>)(?:>[ \t]?){1,8}")
SERVICE = re.compile(r"^[\w.\-]{2,60}[\-_]\d{1,3}[ \t]{1,30}\|[ \t]")
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ufffe]")
SAMPLE = 4096


def encoding_of(head: bytes) -> tuple[str, int]:
    """Return the encoding that the first bytes show and the length of the byte order mark."""
    for mark, name in BOMS:
        if head.startswith(mark):
            return name, len(mark)
    zeros = head[:SAMPLE]
    if zeros.count(0) > len(zeros) // 4:
        return ("utf-16-le" if zeros[1::2].count(0) >= zeros[::2].count(0) else "utf-16-be"), 0
    return "utf-8", 0


def decode_line(raw: bytes) -> str:
    """Return a line of a byte-oriented log: UTF-8, else GBK where that fits, else Latin-1."""
    return _decoded(raw, "utf-8") or _decoded(raw, "gb18030") or raw.decode("latin-1")


def _decoded(raw: bytes, name: str) -> str:
    try:
        return raw.decode(name)
    except UnicodeDecodeError:
        return ""


def is_quoted(line: str) -> bool:
    """Return whether a mail program put its mark before the line."""
    return ">" in line[:5] and QUOTED.match(line) is not None


def clean(line: str) -> str:
    """Return the line without colours, markup, control characters and what mail or compose put before it."""
    if "\x1b" in line or "[0" in line or "[3" in line:
        line = ANSI.sub("", line)
    if "<" in line or "&" in line:
        line = html.unescape(TAG.sub("", line))
    if ">" in line[:5]:
        line = QUOTED.sub("", line)
    if "|" in line[:96]:
        line = SERVICE.sub("", line)
    return CONTROL.sub("", line).rstrip()


def raw_lines(chunks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield the lines of a byte stream in groups as large as the chunks; UTF-16 is turned into UTF-8."""
    rest, decoder = b"", None
    for number, chunk in enumerate(chunks):
        data = chunk
        if number == 0:
            name, mark = encoding_of(chunk)
            data = chunk[mark:]
            decoder = None if name == "utf-8" else codecs.getincrementaldecoder(name)("replace")
        if decoder is not None:
            data = decoder.decode(data).encode("utf-8", "replace")
        head, newline, tail = (rest + data).rpartition(b"\n")
        rest = tail
        if newline:
            yield head.split(b"\n")
        if len(rest) > 1 << 20:
            yield [rest]
            rest = b""
    if rest:
        yield [rest]
