"""The documents point at what is there: files, and commands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trueup.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("lab/*.md")]
    if "errors" not in path.parts
)
LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)#\s]+)")
COMMAND = re.compile(r"`trueup ([a-z][a-z-]*)")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_there_are_pages() -> None:
    assert {"README.md", "README.zh-CN.md", "docs/architecture.md"} <= {name(path) for path in PAGES}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    targets = LINK.findall(page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_that_a_page_names_exists(page: Path) -> None:
    assert set(COMMAND.findall(page.read_text("utf-8"))) <= set(COMMANDS)
