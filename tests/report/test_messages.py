"""Every sentence exists in both languages, with the same places to fill."""

from __future__ import annotations

import ast
import json
import re
import string
from importlib import resources
from pathlib import Path

import pytest

import trueup
from trueup.report.say import LANGUAGES, say
from trueup.values import Message

SOURCES = Path(trueup.__file__).parent
CATALOGS = resources.files("trueup.report").joinpath("messages")
ROOMS = sorted(p.name.removesuffix(".json") for p in CATALOGS.joinpath("en").iterdir())
CODE = re.compile(r"@?([a-z_]+)\.([a-z0-9][a-z0-9.-]*)")


def catalog(lang: str, room: str) -> dict[str, str]:
    loaded: dict[str, str] = json.loads(CATALOGS.joinpath(lang, f"{room}.json").read_text("utf-8"))
    return loaded


def places(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def test_both_languages_have_the_same_rooms() -> None:
    rooms = [{p.name for p in CATALOGS.joinpath(lang).iterdir()} for lang in LANGUAGES]
    assert rooms[0] == rooms[1]


@pytest.mark.parametrize("room", ROOMS)
def test_same_sentences_with_the_same_places(room: str) -> None:
    english, chinese = (catalog(lang, room) for lang in LANGUAGES)
    assert english.keys() == chinese.keys()
    for name, template in english.items():
        assert places(template) == places(chinese[name]), name


@pytest.mark.parametrize("room", ROOMS)
def test_chinese_sentences_are_chinese(room: str) -> None:
    for name, template in catalog("zh_CN", room).items():
        words = re.sub(r"`[^`]*`|\{[^}]*\}|^(python|pip|nvidia-smi|wsl|conda|trueup) .*$", "", template)
        if re.search(r"[A-Za-z]{4,} [a-z]{2,} [a-z]{2,}", words):
            assert re.search(r"[\u4e00-\u9fff]", words), f"{room}.{name} is not translated"


def literals() -> set[tuple[str, str, str]]:
    """Return (file, room, name) of each literal code that the sources hand to Message, text or said."""
    found = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _speaks(node.func) and node.args:
                found |= {(path.name, match[1], match[2]) for match in _codes(node.args[0])}
    return found


def _speaks(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in {"Message", "text"}


def _codes(argument: ast.expr) -> list[re.Match[str]]:
    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
        match = CODE.fullmatch(argument.value)
        return [match] if match and match[1] in ROOMS else []
    return []


def test_each_code_in_the_sources_has_its_sentence() -> None:
    missing = [(file, f"{room}.{name}") for file, room, name in literals() if name not in catalog("en", room)]
    assert not missing
    assert len(literals()) > 50


def test_params_that_are_codes_are_said() -> None:
    assert say(Message("cli.error", {"text": "@machine.not-read"}), "zh_CN") == "错误：未读取"
