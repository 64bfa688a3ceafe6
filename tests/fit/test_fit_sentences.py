"""What answers say, in both languages, word for word."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from string import Formatter

import pytest
from fit_sentences import LANGUAGES, ROOMS, said_codes, sentences, snapshot

from trueup.report.say import catalog

# Said by errors, by other sentences as their parts, or by the text form: tested beside what says them.
PARTS = re.compile(r"fit\.(route|os|do)-|fit\.(hint|bad|no-framework|unknown-framework|wish-)|fit\.holds$")


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_sentence_is_as_it_was(lang: str) -> None:
    before = json.loads(snapshot(lang).read_text("utf-8"))
    assert sentences(lang) == before, (
        f"look at the difference, then run {snapshot(lang).parent}/fit_sentences.py"
    )


def test_every_sentence_of_the_rules_is_said_somewhere() -> None:
    codes = {f"fit.{name}" for name in catalog("en", "fit")}
    assert {code for code in codes - said_codes() if not PARTS.match(code)} == set()


@pytest.mark.parametrize("room", ROOMS)
def test_both_languages_have_the_same_codes_and_places(room: str) -> None:
    first, second = (catalog(lang, room) for lang in LANGUAGES)
    assert first.keys() == second.keys()
    for name, template in first.items():
        assert _places(template) == _places(second[name]), name


@pytest.mark.parametrize("room", ROOMS)
def test_no_sentence_is_a_leftover(room: str) -> None:
    folder = Path(str(resources.files("trueup")))
    text = "\n".join(path.read_text("utf-8") for path in folder.rglob("*.py"))
    composed = re.compile(r"(route|os|do|status|kernels|expect)-")
    unused = [
        n for n in catalog("en", room) if not composed.match(n) and not re.search(rf'["\'.]{n}["\']', text)
    ]
    assert unused == []


def _places(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}
