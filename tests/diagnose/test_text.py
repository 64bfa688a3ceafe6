"""Logs come in many forms."""

from __future__ import annotations

import codecs
import textwrap

import pytest

from trueup.diagnose.text import clean, decode_line, encoding_of, raw_lines
from trueup.diagnose.unpack import unpacked
from trueup.diagnose.wrap import joins, unwrapped


def test_colours_markup_and_control_characters_go() -> None:
    assert clean("\x1b[1;31mRuntimeError\x1b[0m: boom\x00") == "RuntimeError: boom"
    assert clean("[0;31mRuntimeError[0m: boom") == "RuntimeError: boom"
    assert clean('<span class="ansi-red-fg">a &lt;b&gt;</span><br>') == "a <b>"
    assert clean("torch<2.1 and >1.0") == "torch<2.1 and >1.0"


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("> > RuntimeError: boom", "RuntimeError: boom"),
        (">> boom", "boom"),
        (">>> import torch", ">>> import torch"),
        ("->  a", "->  a"),
        ("trainer-gpu-1  | boom", "boom"),
        ("tensorflow   | 2.10", "tensorflow   | 2.10"),
    ],
)
def test_marks_of_mail_and_compose_go(line: str, want: str) -> None:
    assert clean(line) == want


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ('{"log": "a\\nb\\n", "stream": "stderr"}', ["a", "b"]),
        ('{"level": "error", "msg": "boom"}', ["boom"]),
        ('{"loss": 0.5}', ['{"loss": 0.5}']),
        ('{"log": 5, "broken', ['{"log": 5, "broken']),
        ("b'a\\nC:\\\\new'", ["a", "C:\\new"]),
        ("'C:\\new folder", ["'C:\\new folder"]),
        ("2024-05-01T10:00:00.123456789Z stdout F boom", ["boom"]),
        ("2024-05-01T10:00:00 boom", ["2024-05-01T10:00:00 boom"]),
        ("", [""]),
    ],
)
def test_lines_that_hold_others(line: str, want: list[str]) -> None:
    assert unpacked(line) == want


def test_lines_broken_by_a_terminal_are_whole_again() -> None:
    text = (
        "2024-01-01 W tensorflow/core/common_runtime/gpu/gpu_device.cc:1956] Cannot dlopen some GPU libraries"
    )
    broken = [(number, text[at : at + 80]) for number, at in enumerate(range(0, len(text), 80), 1)]
    assert list(unwrapped(broken)) == [(1, text)]
    assert list(unwrapped([(1, "a" * 61), (2, "b")])) == []
    assert list(unwrapped([])) == []


def test_lines_broken_by_mail_are_whole_again() -> None:
    text = " ".join(f"word{number}" for number in range(40))
    lines = list(enumerate(textwrap.wrap(text, 68), 1))
    assert (1, text) in list(unwrapped(lines, quoted=True))


def test_two_lines_join_between_words_and_within_one() -> None:
    first = "RuntimeError: CUDA error: no kernel image is avail"
    assert joins(first, "able for execution") == (f"{first} able for execution", f"{first}able for execution")
    assert joins("short", "line") == ("short line",)
    assert joins(first, "  File x") == (f"{first} File x",)


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
