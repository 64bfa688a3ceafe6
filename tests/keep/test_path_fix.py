"""`trueup path --fix` from the question to undo, with a registry in a file in place of Windows'."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from test_path_mend import APPS, PY, SCHEMA, document

from trueup.cli import path as command
from trueup.cli import places
from trueup.cli.main import run
from trueup.keep.pathvar.variables import KEYS
from trueup.machine.host import RecordedHost
from trueup.setup.changes import Store

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trueup.setup.changes.blobs import Blobs

MACHINE = "C:\\Windows;C:\\gone of all"
USER = ";".join(
    [APPS, f'"{PY}\\"', "%USERPROFILE%\\python310", "C:\\没有 了", "", "%NOT_SET%\\bin", "\\\\nas\\bin"]
    + [f"C:\\dead {number}\\" for number in range(33)]
)


class FileRegistry:
    """Values in a JSON file, key and name -> type and data."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def values(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
        return found

    def read(self, target: Mapping[str, str]) -> Any:
        return self.values().get(f"{target['key']}|{target['name']}")

    def write(self, target: Mapping[str, str], state: Any, blobs: Blobs) -> None:
        del blobs
        self.path.write_text(
            json.dumps({**self.values(), f"{target['key']}|{target['name']}": state}), "utf-8"
        )

    def keep(self, target: Mapping[str, str], state: Any, blobs: Blobs) -> None:
        """Need nothing."""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileRegistry:
    made = FileRegistry(tmp_path / "registry.json")
    value = {"type": "REG_EXPAND_SZ", "data": USER}
    made.path.write_text(json.dumps({f"{KEYS['user']}|Path": value}), "utf-8")
    files = {f"{APPS}\\python.exe": 0, f"{PY}\\python.exe": 5, "C:\\Windows\\x.exe": 1}

    def host(_: str | None) -> tuple[RecordedHost, dict[str, str]]:
        text = made.read({"key": KEYS["user"], "name": "Path"})["data"]
        return RecordedHost(document(text, MACHINE, files)), dict.fromkeys(KEYS, "REG_EXPAND_SZ")

    monkeypatch.setattr(command, "_host", host)
    monkeypatch.setattr(places, "changes_store", lambda: Store(tmp_path / "changes", {"registry": made}))
    return made


def data(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = run(["path", *words, "--json"])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    return status, answer


def test_forty_entries_go_and_come_back(registry: FileRegistry, capsys: pytest.CaptureFixture[str]) -> None:
    before = registry.values()
    assert len(USER.split(";")) == 40
    assert data(capsys, "--fix", "--dry-run")[1]["mode"] == "preview"
    assert registry.values() == before, "a dry run writes nothing"
    assert data(capsys, "--fix", "--yes")[1]["mode"] == "fixed"
    kept = f'"{PY}\\";%NOT_SET%\\bin;\\\\nas\\bin;{APPS}'
    assert registry.values() == {f"{KEYS['user']}|Path": {"type": "REG_EXPAND_SZ", "data": kept}}
    assert data(capsys, "--fix", "--yes")[1]["mode"] == "nothing"
    assert run(["undo", "--yes"]) == 0
    assert registry.values() == before


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_difference_line_by_line(
    registry: FileRegistry, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    before = registry.values()
    capsys.readouterr()
    assert run(["path", "--fix", "--dry-run", "--lang", lang]) == 0
    lines = capsys.readouterr().out.splitlines()
    why = {"en": "no such folder", "zh": "没有这个文件夹"}[lang]
    assert f"  - C:\\没有 了   ({why})" in lines
    assert f'    "{PY}\\"' in lines
    assert any(line.startswith(f"  - {APPS}") for line in lines)
    assert any(line.startswith(f"  + {APPS}") for line in lines)
    [elevated] = [line.strip() for line in lines if "Set-ItemProperty" in line]
    assert elevated.startswith("Set-ItemProperty -LiteralPath 'HKLM:\\SYSTEM\\CurrentControlSet\\Control")
    assert elevated.endswith("-Name Path -Type ExpandString -Value 'C:\\Windows'")
    assert registry.values() == before


def test_a_change_by_somebody_else_meanwhile_is_kept(
    registry: FileRegistry, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = {"key": KEYS["user"], "name": "Path"}
    other = {"type": "REG_EXPAND_SZ", "data": "C:\\new of somebody"}

    def store() -> Store:
        registry.write(target, other, Store(registry.path.parent).blobs)
        return Store(registry.path.parent / "changes", {"registry": registry})

    monkeypatch.setattr(places, "changes_store", store)
    assert run(["path", "--fix", "--yes"]) == 2
    assert "another program changed your PATH" in capsys.readouterr().err
    assert registry.read(target) == other


def test_nobody_to_ask_changes_nothing(registry: FileRegistry, capsys: pytest.CaptureFixture[str]) -> None:
    before = registry.values()
    assert run(["path", "--fix"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert registry.values() == before
