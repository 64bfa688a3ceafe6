"""The guides name commands that are there, in both languages, and every link leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from trueup.cli.main import COMMANDS, root

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ("guides/native-windows", "guides/chain-of-causes", "wsl")
FILES = [*(f"{page}{end}" for page in PAGES for end in (".md", ".zh-CN.md")), "guides/README.md"]
_CODE = re.compile(r"`(trueup [^`]+)`|^(trueup [^\n]+?)(?: {2,}|$)", re.MULTILINE)


def text(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def commands(name: str) -> list[list[str]]:
    lines = (one or other for one, other in _CODE.findall(text(name)))
    return [line.split(" -- ")[0].split()[1:] for line in lines]


def tables(name: str) -> list[str]:
    return [line for line in text(name).splitlines() if line.startswith("|")]


@pytest.mark.parametrize("name", FILES)
def test_every_command_and_option_is_there(name: str) -> None:
    for words in commands(name):
        if words[0] == "…" or not words[0][0].isalpha():
            continue
        assert words[0] in COMMANDS, (name, words)
        command = root().get_command(click.Context(root()), words[0])
        assert command is not None
        options = {option for param in command.params for option in param.opts + param.secondary_opts}
        if isinstance(command, click.Group):
            if len(words) > 1 and words[1].islower():
                command = command.get_command(click.Context(command), words[1]) or command
            options |= {option for param in command.params for option in param.opts}
        options |= {"--sources", "--json", "--help", "--lang"}
        assert {word for word in words if word.startswith("--")} <= options, (name, words)


@pytest.mark.parametrize("page", PAGES)
def test_both_languages_say_the_same_commands(page: str) -> None:
    assert commands(f"{page}.md") == commands(f"{page}.zh-CN.md")
    assert len(tables(f"{page}.md")) == len(tables(f"{page}.zh-CN.md"))
    assert len({line.count("|") for line in tables(f"{page}.md")}) <= 3


@pytest.mark.parametrize("name", FILES)
def test_links_lead_somewhere(name: str) -> None:
    here = (DOCS / name).parent
    targets = [target.split("#")[0] for target in re.findall(r"\]\(([^)]+)\)", text(name))]
    assert targets
    for target in targets:
        assert target.startswith("https://") or (here / target).exists(), target


@pytest.mark.parametrize("page", PAGES[:2])
def test_every_row_has_a_step_a_command_and_a_judgement(page: str) -> None:
    for end in (".md", ".zh-CN.md"):
        rows = [line.strip("|").split("|") for line in tables(page + end)][2:]
        assert len(rows) > 20
        assert all(len(row) == 3 and all(cell.strip() for cell in row) for row in rows)
