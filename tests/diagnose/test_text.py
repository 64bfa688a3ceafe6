"""Logs come in many forms."""

from __future__ import annotations

import codecs

import pytest

from trueup.diagnose.text import clean, decode_line, encoding_of, raw_lines


def test_colours_markup_and_control_characters_go() -> None:
    assert clean("\x1b[1;31mRuntimeError\x1b[0m: boom\x00") == "RuntimeError: boom"
    assert clean("[0;31mRuntimeError[0m: boom") == "RuntimeError: boom"
    assert clean('<span class="ansi-red-fg">a &lt;b&gt;</span><br>') == "a <b>"
    assert clean("torch<2.1 and >1.0") == "torch<2.1 and >1.0"


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ],
)
def test_byte_order_marks(mark: bytes, name: str) -> None:
    assert encoding_of(mark + "abc".encode(name)) == (name, len(mark))


def test_utf16_without_a_mark_is_seen_by_its_zeros() -> None:
    assert encoding_of("error: abc".encode("utf-16-le"))[0] == "utf-16-le"
    assert encoding_of("error: abc".encode("utf-16-be"))[0] == "utf-16-be"
    assert encoding_of(b"")[0] == "utf-8"


def test_code_pages() -> None:
    assert decode_line("页面文件太小".encode("gbk")) == "页面文件太小"
    assert decode_line("页面文件太小".encode()) == "页面文件太小"
    assert decode_line(b"caf\xe9") in ("café", "caf\ufffd") or decode_line(b"caf\xe9").startswith("caf")
    assert decode_line(b"") == ""


def test_lines_across_chunks() -> None:
    data = "one\r\ntwo\nthree".encode("utf-16")
    got = [line for block in raw_lines([data[:5], data[5:9], data[9:]]) for line in block]
    assert [line.strip() for line in got] == [b"one", b"two", b"three"]


def test_a_line_without_end_does_not_fill_the_memory() -> None:
    blocks = list(raw_lines(b"a" * (1 << 18) for _ in range(40)))
    assert all(sum(map(len, block)) <= 2 << 20 for block in blocks)
