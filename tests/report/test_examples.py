"""Every command line that a page or a message shows is one that trueup takes: names, options, values."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

from trueup.cli.main import root, split_language
from trueup.cli.session import Session
from trueup.diagnose.catalog import causes
from trueup.report.say import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in [*ROOT.glob("README*.md"), *ROOT.glob("docs/**/*.md")]
    if path.parent.name != "zh-CN" and path.name != "architecture.md"
)
CODE = re.compile(r"`(trueup [^`\n]+)`")
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")
VALUES = {
    "short": "C:\\env",
    "port": "9400",
    "pid": "1",
    "other": "name",
    "id": "3",
    "version": "3.10",
    "number": "2",
    "release": "2",
}
# A command's line ends where the shell's own words, a remark or prose in either language begins.
REST = re.compile(r"\s+(?:#|\||>|&&|→|->)\s?.*|\s{2,}.*|\s….*|\s\(.*|\s（.*|\s[\u4e00-\u9fff].*")
NAMES = {
    "FILE": "file",
    "文件": "file",
    "名称": "name",
    "框架": "tensorflow",
    "程序": "program",
    "编号": "1",
    "NUMBER": "1",
    "文件夹": "folder",
}


def commands(text: str, *, fenced: bool) -> Iterator[str]:
    """Yield the command lines of a text: code in a sentence, and lines of blocks that begin with `trueup`."""
    yield from CODE.findall(text)
    for block in FENCE.findall(text) if fenced else ():
        for line in block.splitlines():
            shown = line.strip().removeprefix("$ ")
            if shown.startswith("trueup ") and not re.match(r"trueup [a-z-]+:? (?!-)[A-Z]", shown):
                yield REST.sub("", shown)


def filled(text: str) -> str:
    said = PLACE.sub(lambda found: VALUES.get(found[1] or "", "value"), text)
    for name, value in NAMES.items():
        said = said.replace(f"={name}", f"={value}").replace(f" {name}", f" {value}")
    return said


def refused(line: str) -> str | None:
    """Return what trueup would say against a line; None where it takes it. Nothing is run."""
    shown = re.sub(r" [>|] .*", "", line).rstrip(".,;:…").replace("\\", "/")
    words = [word for word in shlex.split(shown)[1:] if word not in ("…", "...")]
    _, words = split_language(words)
    command: click.Command = root()
    context = click.Context(command, info_name="trueup", obj=Session("en"))
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(context, words[0])
        if found is None:
            return f"no command {words[0]}"
        command, context = found, click.Context(found, parent=context, info_name=words[0], obj=context.obj)
        words = words[1:]
    try:
        command.make_context(context.info_name, words, parent=context.parent)
    except (click.exceptions.Exit, click.MissingParameter, click.exceptions.NoArgsIsHelpError):
        return None  # a sentence may name a command without its arguments
    except click.BadOptionUsage:
        return None  # or an option without its value
    except click.UsageError as error:
        return error.format_message()
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_of_a_page(page: Path) -> None:
    found = [(line, refused(filled(line))) for line in commands(page.read_text("utf-8"), fenced=True)]
    assert [one for one in found if one[1]] == []


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_lines_of_messages(lang: str) -> None:
    for path in sorted((MESSAGES / lang).glob("*.json")):
        for name, text in json.loads(path.read_text("utf-8")).items():
            for line in commands(text, fenced=False):
                assert refused(filled(line)) is None, (path.stem, name, line, refused(filled(line)))


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_lines_of_causes(lang: str) -> None:
    for name, cause in causes().items():
        for text in cause.words[lang]:
            for line in commands(text, fenced=False):
                assert refused(filled(line)) is None, (name, line)


def test_what_is_wrong_is_seen() -> None:
    assert refused("trueup up tensorflow --env x --yes") is None
    assert refused("trueup cuda list --json") is None
    assert refused("trueup check --sav x")
    assert refused("trueup upp")
    assert refused("trueup lock tensorflow --format toml")
    assert refused("trueup cuda nothing")
    assert refused("trueup facts gpu x y --bad")
