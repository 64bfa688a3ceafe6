"""`trueup facts`: answers as data and as text, refusals with a way out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from trueup.cli.main import run
from trueup.facts import load, lookup
from trueup.report.facts import SCHEMA, cell_len, render
from trueup.values import TrueupError

FACTS = load()
QUESTIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("tensorflow", "2.10"),
    ("tensorflow",),
    ("torch", "2.8", "--os", "windows"),
    ("torch-directml",),
    ("gpu", "RTX", "4060", "Laptop"),
    ("gpu", "GT 730"),
    ("gpu", "AMD Radeon RX 6600"),
    ("gpu", "NVIDIA GeForce RTX 9990"),
    ("driver", "536.67"),
    ("cuda", "11.2"),
    ("matrix", "tensorflow", "--os", "windows"),
    ("matrix", "jax"),
    ("nvidia-cudnn-cu11",),
    ("nvidia-cudnn-cu11", "8.9.5.29"),
)


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_question_is_answered_in_text(
    words: tuple[str, ...], lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["facts", *words, "--sources", "--lang", lang]) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) >= 2
    assert err == ""
    assert "facts." not in out
    assert ("Sources" if lang == "en" else "来源") in out


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
def test_every_answer_obeys_the_schema_that_ships(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["facts", *words, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    schema = json.loads(SCHEMA.read_text("utf-8"))
    Draft202012Validator.check_schema(schema)
    Draft202012Validator(schema).validate(answer)


def ask(*words: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert run(["facts", *words, "--lang", "en"]) == 0
    return capsys.readouterr().out


def test_a_release_says_what_a_person_needs(capsys: pytest.CaptureFixture[str]) -> None:
    text = ask("tensorflow", "2.10", "--os", "windows", capsys=capsys)
    for part in (
        "2.10.1, 2.10.0",
        "3.7 3.8 3.9 3.10",
        "11.2, cuDNN 8.1",
        ">= 452.39",
        "numpy<",
        "protobuf<3.20,>=3.9.2",
        "+ PTX 8.0",
    ):
        assert part in text


def test_a_driver_says_what_runs_and_what_only_as_machine_code(capsys: pytest.CaptureFixture[str]) -> None:
    text = ask("driver", "536.67", capsys=capsys)
    assert "branch R535, knows CUDA up to 12.2" in text
    assert any(
        "not its PTX" in line and line.endswith("12.3 12.4 12.5 12.6 12.8 12.9") for line in text.splitlines()
    )


def test_an_ambiguous_card_is_said_to_be_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "only the driver can tell them apart" in ask("gpu", "GT 730", capsys=capsys)


def test_a_library_names_its_files_by_system(capsys: pytest.CaptureFixture[str]) -> None:
    text = ask("nvidia-cudnn-cu11", "8.9.5.29", capsys=capsys)
    assert "windows: 8.9.5.29" in text
    assert "linux" not in text
    assert "  nvidia/cudnn/bin/cudnn64_8.dll" in text.splitlines()


@pytest.mark.parametrize(
    ("words", "named", "hint"),
    [
        (("tensorflow", "9.9"), "9.9", "2.21"),
        (("tensorfow",), "tensorfow", "tensorflow"),
        (("cuda", "12.7"), "12.7", "12.6"),
        (("nvidia-cudnn-cu11", "1.2.3"), "1.2.3", "nvidia-cudnn-cu11"),
        (("driver", "new"), "new", "536.67"),
        (("torch", "two"), "two", "2.10"),
        (("gpu", " "), "card", "RTX 3060"),
    ],
)
def test_a_refusal_names_the_word_and_the_way_out(
    words: tuple[str, ...], named: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["facts", *words, "--lang", "en"]) == 2
    out, err = capsys.readouterr()
    problem, _, way = err.partition("hint:")
    assert out == ""
    assert named in problem
    assert hint in way


def test_the_newest_patch_stands_for_its_line() -> None:
    builds = lookup.release(FACTS, "tensorflow", "2.9", "windows")["builds"]
    assert {b["version"] for b in builds if b["package"] == "tensorflow"} == {"2.9.3"}


def test_a_plug_in_is_found_by_its_own_name() -> None:
    answer = lookup.release(FACTS, "tensorflow-directml-plugin", None)
    assert {b["flavour"] for b in answer["builds"]} == {"directml"}


def test_sources_are_named_once_each() -> None:
    found = lookup.sources(lookup.matrix(FACTS, "tensorflow"))
    assert len({(s["name"], s["date"]) for s in found}) == len(found) > 3


def test_wide_characters_keep_columns_straight() -> None:
    answer: dict[str, Any] = lookup.cuda(FACTS, "11.2")
    head, rule, *rows = render(answer, "zh_CN").splitlines()[:4]
    assert cell_len("系统") == 4
    second = cell_len(rule.split("  ")[0]) + 2
    assert all(cell_len(line) > second for line in (head, *rows))


def test_an_unknown_version_is_the_users_mistake() -> None:
    with pytest.raises(TrueupError):
        lookup.driver(FACTS, "newest")
