"""Invariants over every entry of the catalog."""

from __future__ import annotations

import json
import re
from importlib import resources

import pytest

from trueup.diagnose.asks import ASKABLE
from trueup.diagnose.catalog import causes
from trueup.diagnose.condition import compared_in, names_in
from trueup.diagnose.pattern import PLACE, compile_pattern, fold
from trueup.diagnose.signals import phrases, table
from trueup.diagnose.steps import Shell, actions, library
from trueup.report.say import LANGUAGES, catalog

SAMPLES = {"ver": "11.2", "int": "7", "word": "libcudart.so.11.0", "quoted": "'cudart64_110.dll'"}
DERIVED = re.compile(
    r"(os|given|missing|cuda|cudnn|loaded|card|driver|python|path|framework|list|wheel|seen|log|fault|cpu|visible):[a-z0-9-]+"
)
JUDGED = {"no-fault", "no-strong-fault"}
UNSAFE = (
    r"download (this|the) dll",
    r"dll-files",
    r"exclude [^\"]*\.dll",
    r"KMP_DUPLICATE_LIB_OK",
    r"\bpurge\b",
    r"rm -rf",
    r"--break-system-packages",
    r"disable .*(antivirus|defender)",
    r"cache purge",
)


def sample(phrase: str) -> str:
    body = phrase.removeprefix("^").removesuffix("$")
    filled = PLACE.sub(lambda place: SAMPLES[place[2]], body).replace("*", " something ")
    return ("" if phrase.startswith("^") else "x ") + filled + ("" if phrase.endswith("$") else " x")


@pytest.mark.parametrize("signal", sorted(phrases()))
def test_each_phrase_finds_a_line_made_from_it(signal: str) -> None:
    for phrase in phrases()[signal]:
        assert phrase == phrase.lower(), phrase
        found = {name for name, _ in table().match(fold(sample(phrase)))}
        assert signal in found, phrase


def test_no_phrase_can_backtrack_without_bound() -> None:
    for texts in phrases().values():
        for phrase in texts:
            for piece in compile_pattern(phrase).pieces:
                assert ".*" not in piece.pattern.replace(r"\.", "")
                assert not re.search(r"[+*]\)?[+*]", piece.pattern.replace("\\+", "").replace("\\*", "")), (
                    phrase
                )


def test_rules_name_only_what_exists() -> None:
    known = set(phrases()) | JUDGED
    for cause in causes().values():
        assert cause.rules, cause.id
        for rule in cause.rules:
            assert 0 < rule.likely < 1
            for atom in rule.needs:
                assert all(name in known or DERIVED.fullmatch(name) for name in names_in(atom)), (
                    cause.id,
                    names_in(atom),
                )


def test_all_that_rules_ask_for_has_words() -> None:
    words = catalog("en", "diagnose")
    for cause in causes().values():
        for rule in cause.rules:
            for atom in rule.needs:
                assert all(f"fact-{name}" in words for name in compared_in(atom)), compared_in(atom)
                related = [
                    name
                    for name in names_in(atom)
                    if ":" in name and not name.startswith(("seen:", "given:"))
                ]
                assert all(f"is-{name.replace(':', '-')}" in words for name in related), related
    assert all(f"command-{name}" in words for name in ASKABLE)


def test_every_signal_is_used() -> None:
    used = frozenset().union(*(cause.signals() for cause in causes().values()))
    kept = {
        name
        for name in phrases()
        if name.startswith(("log-", "text-", "harmless-", "works-", "note-", "error-", "own-", "says-"))
    }
    with_values = {name for name, texts in phrases().items() if any(PLACE.search(text) for text in texts)}
    assert set(phrases()) <= used | kept | with_values


@pytest.mark.parametrize("name", list(causes()))
def test_words_in_both_languages(name: str) -> None:
    cause = causes()[name]
    assert set(cause.words) == set(LANGUAGES)
    for lang, (title, explanation) in cause.words.items():
        assert title
        assert explanation
        assert not title.endswith((".", "。"))
        assert bool(re.search(r"[\u4e00-\u9fff]", title + explanation)) == (lang == "zh_CN")
    assert cause.shows
    assert all(other in causes() for other in cause.unlike)
    assert all(source.address and source.date for source in cause.sources)


PLACES: tuple[tuple[str, Shell], ...] = (
    ("windows-native", "powershell"),
    ("windows-native", "cmd"),
    ("linux", "bash"),
    ("wsl2", "bash"),
)


@pytest.mark.parametrize("name", list(causes()))
def test_every_cause_has_a_way_out_and_a_check(name: str) -> None:
    for os, shell in PLACES:
        made = actions(causes()[name].remedy, os, shell)
        assert any(not step.confirms for step in made)
        assert any(step.confirms for step in made)
        assert not any("{" in command.replace("${", "") for step in made for command in step.commands)
        assert all(step.text[lang].format_map(step.params) for step in made for lang in LANGUAGES)


def test_steps_are_in_both_languages_and_used() -> None:
    used = {step.id for cause in causes().values() for step in cause.remedy}
    assert used == set(library())
    for row in library().values():
        assert re.findall(r"\{\w+\}", row["en"]) == re.findall(r"\{\w+\}", row["zh_CN"])
        assert re.search(r"[\u4e00-\u9fff]", row["zh_CN"])


def test_advice_is_safe() -> None:
    folder = resources.files("trueup.diagnose").joinpath("data")
    for entry in folder.iterdir():
        if entry.name.startswith("causes-") or entry.name == "steps.json":
            text = json.dumps(json.loads(entry.read_text("utf-8")))
            for pattern in UNSAFE:
                assert not re.search(pattern, text, re.IGNORECASE), (entry.name, pattern)
