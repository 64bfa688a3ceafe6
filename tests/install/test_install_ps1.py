"""install.ps1, read by a grammar: no PowerShell can be run here. What both scripts must agree on."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import tree_sitter_powershell
from tree_sitter import Language, Parser
from wheelhouse import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

TEXT = (ROOT / "install.ps1").read_bytes()
CMDLETS = json.loads((Path(__file__).parent / "cmdlets_5_1.json").read_text("utf-8"))
SHELL = (ROOT / "install.sh").read_text("utf-8")


def nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from nodes(child)


@pytest.fixture(scope="module")
def parsed() -> Node:
    return Parser(Language(tree_sitter_powershell.language())).parse(TEXT).root_node


def test_it_parses_and_is_short(parsed: Node) -> None:
    assert not parsed.has_error
    assert len(TEXT.splitlines()) <= 120


def test_windows_powershell_reads_it_whatever_the_code_page() -> None:
    """5.1 reads a script without a mark in the system's code page."""
    assert TEXT.isascii()
    assert b"\t" not in TEXT


def test_it_uses_no_operator_that_5_1_lacks(parsed: Node) -> None:
    kinds = {node.type for node in nodes(parsed)}
    assert kinds.isdisjoint(
        {"??", "??=", "?.", "?[", "&&", "||", "?", "ternary_expression", "class_statement"}
    )
    assert "Tls12" in TEXT.decode()  # 5.1 asks for older ones by itself


def commands(parsed: Node) -> Iterator[tuple[str, list[Node]]]:
    """Yield each command that has a name, and what follows it."""
    for node in nodes(parsed):
        name = next((child for child in node.children if child.type == "command_name"), None)
        if node.type == "command" and name is not None and name.text:
            elements = [child for child in node.children if child.type == "command_elements"]
            after = [one for element in elements for one in element.children]
            yield (
                name.text.decode(),
                [one for one in after if one.type not in ("command_argument_sep", "argument_list")],
            )


def functions(parsed: Node) -> dict[str, int]:
    """Return the script's own functions with the number of what each takes."""
    found = {}
    for node in nodes(parsed):
        if node.type == "function_statement":
            name = next(child for child in node.children if child.type == "function_name")
            found[(name.text or b"").decode()] = sum(one.type == "script_parameter" for one in nodes(node))
    return found


def test_each_command_takes_what_it_is_given_in_5_1(parsed: Node) -> None:
    """Names, switches and positions are those of the documentation of 5.1; one that is cut short is not allowed."""
    known, own = CMDLETS["cmdlets"], functions(parsed)
    asked = list(commands(parsed))
    assert len(asked) > 30
    for name, after in asked:
        if name in own:
            assert len(after) == own[name], name
            continue
        cmdlet, free, takes = known[name], 0, False
        for one in after:
            text = (one.text or b"").decode()
            if one.type == "command_parameter":
                word = text.removeprefix("-")
                assert word in (*cmdlet["names"], *CMDLETS["common"]), f"{name} -{word}"
                assert not takes, f"{name}: {text} follows one that wants a value"
                takes = word not in cmdlet["switches"]
            elif takes:
                takes = False
            else:
                free += not text.startswith("@")
        assert not takes, name
        assert free <= cmdlet["positions"], name


def test_what_is_handed_over_as_a_table_has_names_of_5_1(parsed: Node) -> None:
    """`Invoke-WebRequest @options`."""
    entries = [n for n in nodes(parsed) if n.type == "key_expression" and n.parent and n.text]
    keys = {n.text.decode() for n in entries if n.text and n.text.isalpha()}
    added = set(re.findall(r"\$options\.(\w+) =", TEXT.decode()))
    assert {"Uri", "OutFile", "UseBasicParsing"} <= keys
    assert keys | added <= set(CMDLETS["cmdlets"]["Invoke-WebRequest"]["names"])


def test_classes_are_of_net_framework_4_5() -> None:
    """5.1 runs on it. Each member that is called stands here by name, looked up in its documentation."""
    known = {
        "[IO.File]::ReadAllText", "[IO.File]::WriteAllText", "[IO.Directory]::Delete",
        "[IO.Compression.ZipFile]::ExtractToDirectory", "[regex]::Match", "[regex]::Escape", "[Uri]::new",
        "[Console]::Error", "[Net.ServicePointManager]::SecurityProtocol", "[Net.SecurityProtocolType]::Tls12",
    }  # fmt: skip
    used = set(re.findall(r"\[[A-Za-z.]+\]::\w+", TEXT.decode()))
    assert used <= known
    assert "[Console]::Error" in used


def test_names_of_files_are_never_patterns(parsed: Node) -> None:
    """In a folder named `a [1]` a path that is read as a pattern finds nothing."""
    patterns = {"Get-ChildItem", "Get-FileHash", "Move-Item", "Remove-Item", "Test-Path"}
    for name, after in commands(parsed):
        if name in patterns and after:
            piped = name == "Remove-Item" and not any((one.text or b"").startswith(b'"') for one in after)
            words = [(one.text or b"").decode() for one in after]
            assert "-LiteralPath" in words or piped, words


def test_every_path_of_the_user_is_quoted(parsed: Node) -> None:
    """A bare `$tool/x` in an argument is one word in PowerShell, but `-Path a b` is two."""
    bare = [
        node for node in nodes(parsed) if node.type == "generic_token" and node.text and b"$" in node.text
    ]
    assert [node.text for node in bare] == []


def test_both_scripts_pin_the_same_uv() -> None:
    version = re.search(r"^UV=(\S+)", SHELL, re.MULTILINE)
    assert version is not None
    assert f"$Version = '{version[1]}'".encode() in TEXT
    assert len(re.findall(rb"'[0-9a-f]{64}'", TEXT)) == 4
    assert len(re.findall(r" [0-9a-f]{64}\b", SHELL)) == 8
