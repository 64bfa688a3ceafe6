"""Names of endings, and what counts as an answer."""

from __future__ import annotations

import json

import pytest

from trueup.proof.answers import FIELDS, NotAnAnswer, read
from trueup.proof.model import Timeouts
from trueup.proof.watch import LINES, last_lines, name_of


@pytest.mark.parametrize(
    ("status", "name"),
    [
        (-11, "SIGSEGV"),
        (-4, "SIGILL"),
        (-250, "signal 250"),
        (0xC0000005, "0xC0000005"),
        (0xC000001D, "0xC000001D"),
        (3, "exit status 3"),
    ],
)
def test_name_of_an_ending(status: int, name: str) -> None:
    assert name_of(status) == name


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[1]",
        "{",
        '{"event": "nothing"}',
        '{"event": "phase"}',
        '{"event": "phase", "phase": "party"}',
        '{"event": "phase", "phase": "train", "more": 1}',
        '{"event": "accuracy", "accuracy": true}',
        '{"event": "accuracy", "accuracy": "0.99"}',
        '{"event": "stopped", "kind": "bored", "text": ""}',
        '{"event": "placement", "variables": [1], "results": [], "kernels": []}',
        '{"event": ["phase"], "phase": "train"}',
    ],
)
def test_what_is_no_answer(line: str) -> None:
    with pytest.raises(NotAnAnswer):
        read(line)


def test_a_good_answer_comes_back() -> None:
    answer = {"event": "memory", "device": "/GPU:0", "peak_mb": None}
    assert read(json.dumps(answer)) == answer


def test_each_event_can_be_said() -> None:
    assert {"phase", "step", "stopped", "done"} <= set(FIELDS)


def test_every_phase_has_a_limit() -> None:
    limits = Timeouts(import_=7)
    assert limits.of("import") == 7
    assert limits.of("compare") > 0


def test_last_lines_of_much_noise() -> None:
    noise = b"\xff" * 70000 + b"\n" + b"\n".join(b"line %d" % n for n in range(100)) + b"\r\n\n"
    assert last_lines(noise) == tuple(f"line {n}" for n in range(100 - LINES, 100))
