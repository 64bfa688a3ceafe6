"""Whoever asked for data gets data, also where the question was wrong."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest

from trueup.cli.main import run, wants_data

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "error-1.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["check", "tensorflaw", "--json"], "check.no-such-framework"),
        (["check", "--json", "--machine", "nowhere.json"], "machine.file-unreadable"),
        (["trace", "--json", "tensorflaw"], "check.no-such-framework"),
        (["solve", "--json", "--machine", "nowhere.json"], "machine.file-unreadable"),
        (["check", "--json", "--no-such-option"], "cli.no-such-option"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_mistake_is_data_and_words(
    words: list[str], code: str, lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*words, "--lang", lang]) == 2
    told = capsys.readouterr()
    answer = json.loads(told.out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["code"] == code
    assert answer["error"] in told.err
    assert answer["hint"] in told.err


def test_words_alone_where_no_data_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "tensorflaw"]) == 2
    assert not capsys.readouterr().out


def test_what_belongs_to_another_program_is_not_ours() -> None:
    assert not wants_data(["run", "--", "tool", "--json"])
    assert wants_data(["check", "--json"])
