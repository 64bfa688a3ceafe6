"""install.ps1, read by a grammar: no PowerShell can be run here. What both scripts must agree on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import tree_sitter_powershell
from tree_sitter import Language, Parser
from wheelhouse import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

TEXT = (ROOT / "install.ps1").read_bytes()
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


def test_it_uses_nothing_that_5_1_lacks(parsed: Node) -> None:
    text = TEXT.decode()
    for newer in ("??", "?.", " && ", " || ", "-Parallel", "ternary", "-SkipCertificateCheck"):
        assert newer not in text
    assert "-UseBasicParsing" in text or "UseBasicParsing = $true" in text
    assert "Tls12" in text
    names = {node.text.decode() for node in nodes(parsed) if node.type == "command_name" and node.text}
    here = {"Stop-Install", "Get-File", "Get-Link", "Get-Uv", "Find-Source", "Install-Trueup"}
    cmdlets = {
        "Add-Type", "Get-ChildItem", "Get-Date", "Get-FileHash", "Invoke-WebRequest", "Join-Path", "Move-Item",
        "New-Item", "Out-Null", "Remove-Item", "Select-Object", "Split-Path", "Test-Path", "Where-Object",
        "Write-Debug", "Write-Host",
    }  # fmt: skip
    assert {name for name in names if re.fullmatch(r"[A-Z][a-z]+-\w+", name)} <= here | cmdlets


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
