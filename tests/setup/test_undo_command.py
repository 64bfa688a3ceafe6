"""`trueup undo` as a user meets it, in both languages, after the process that made the changes is gone."""

from __future__ import annotations

import io
import json
import sys
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from trueup.cli import places
from trueup.cli.main import run
from trueup.setup import record
from trueup.setup.changes.environment import environment_change
from trueup.setup.changes.files import file_change
from trueup.setup.model import Record

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.setup.changes import Store

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "undo-1.json").read_text("utf-8"))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(places, "data_folder", lambda: tmp_path / "data")
    return places.changes_store()


def change(store: Store, path: Path, text: bytes = b"new") -> None:
    with store.begin("trueup fix --path") as transaction:
        transaction.apply(file_change(path, text, store.blobs))


def undo(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = run(["undo", *words])
    said = capsys.readouterr()
    return status, said.out, said.err


def data(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    status, out, _ = undo(capsys, "--json", *words)
    answer: dict[str, Any] = json.loads(out)
    jsonschema.validate(answer, SCHEMA)
    return status, answer


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_to_take_back(store: Store, capsys: pytest.CaptureFixture[str], lang: str) -> None:
    status, out, err = undo(capsys, "--lang", lang)
    assert (status, err) == (0, "")
    assert out.strip() == {"en": "there is nothing to take back", "zh": "没有可撤回的改动"}[lang]
    assert data(capsys) == (0, {"schema": "trueup.undo/1", "mode": "nothing", "transactions": []})
    assert not store.folder.exists(), "looking makes no folder"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_shown_asked_done(
    store: Store,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    lang: str,
) -> None:
    path = tmp_path / "文件.txt"
    path.write_bytes(b"old")
    change(store, path)
    status, out, _ = undo(capsys, "--lang", lang, "--dry-run")
    assert status == 0
    assert str(path) in out
    assert path.read_bytes() == b"new"
    for answer, expected in (("\n", b"new"), ("y\n", b"old")):
        stdin = io.StringIO(answer)
        monkeypatch.setattr(stdin, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdin", stdin)
        status, out, err = undo(capsys, "--lang", lang)
        assert status == (0 if expected == b"old" else 1)
        assert "[y/N]" in err
        assert path.read_bytes() == expected


def test_nobody_to_ask_changes_nothing(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(store, tmp_path / "a.txt")
    status, out, err = undo(capsys)
    assert status == 2
    assert "a.txt" in out
    assert "--yes" in err
    assert (tmp_path / "a.txt").exists()


def test_the_last_then_the_one_before_then_nothing(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a", "b"):
        change(store, tmp_path / name)
    assert undo(capsys, "--yes")[0] == 0
    assert [(tmp_path / n).exists() for n in "ab"] == [True, False]
    assert undo(capsys, "--yes")[0] == 0
    assert not (tmp_path / "a").exists()
    assert data(capsys, "--yes")[1]["mode"] == "nothing"
    status, answer = data(capsys, "--list")
    assert (status, [t["undone"] for t in answer["transactions"]]) == (0, [True, True])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_newer_change_that_is_gone_is_passed_over_aloud(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str
) -> None:
    for name in ("older", "newer"):
        change(store, tmp_path / name)
    (tmp_path / "newer").unlink()
    status, _, err = undo(capsys, "--yes", "--lang", lang)
    assert (status, (tmp_path / "older").exists()) == (0, False)
    [told] = [line for line in err.splitlines() if str(tmp_path / "newer") in line]
    assert ("passed over" if lang == "en" else "跳过") in told
    assert str(tmp_path / "older") not in err


def test_all_and_one_by_its_id(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a", "b", "c"):
        change(store, tmp_path / name)
    ident = store.records()[1].ident
    assert ident in undo(capsys, "--list")[1]
    status, answer = data(capsys, "--id", ident, "--yes")
    assert (status, answer["mode"]) == (0, "undone")
    assert [(tmp_path / n).exists() for n in "abc"] == [True, False, True]
    assert [len(t["items"]) for t in data(capsys, "--all", "--yes")[1]["transactions"]] == [1, 1]
    assert not any((tmp_path / n).exists() for n in "abc")


@pytest.mark.parametrize("words", [("--id", "none"), ("--id", "x", "--all")])
def test_mistakes_are_told_with_a_way_out(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    change(store, tmp_path / "a")
    status, _, err = undo(capsys, *words, "--yes")
    assert status == 2
    assert "hint:" in err
    assert (tmp_path / "a").exists()


def test_what_was_changed_since_is_kept_and_told(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(store, tmp_path / "a")
    (tmp_path / "a").write_bytes(b"mine")
    assert [i["now"] for t in data(capsys, "--dry-run")[1]["transactions"] for i in t["items"]] == ["kept"]
    status, out, _ = undo(capsys, "--yes")
    assert status == 1
    assert "left as it is" in out
    assert (tmp_path / "a").read_bytes() == b"mine"


def test_a_change_of_another_system_is_told(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(store, tmp_path / "a")
    [journal] = store.folder.glob("*.jsonl")
    journal.write_text(journal.read_text("utf-8").replace('"kind": "file"', '"kind": "plist"'), "utf-8")
    status, out, _ = undo(capsys, "--yes")
    assert status == 1
    assert "plist" in out
    assert not store.records()[0].undone


def environment(store: Store, tmp_path: Path) -> Path:
    """Build an environment as `up` journals it."""
    attempt, env = tmp_path / "new" / "env-1", tmp_path / ".venv"
    attempt.mkdir(parents=True)
    (attempt / "pyvenv.cfg").write_text("home = /usr/bin\n")
    made = Record(
        trueup="0.1.0", made="2026-11-30", request_id="q", lock_sha256="0" * 64, device="cpu", python="3.12",
        alignment={}, fingerprint={},
    )  # fmt: skip
    record.write(attempt, made)
    with store.begin("trueup up") as transaction:
        transaction.apply(environment_change(attempt, env))
    return env


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", ("compare with how it was built", "take back: `")), ("zh", ("与搭建时的状态比对", "正在撤回"))],
)
def test_what_takes_a_while_is_said_meanwhile(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str], lang: str, words: tuple[str, str]
) -> None:
    env = environment(store, tmp_path)
    status, _, err = undo(capsys, "--dry-run", "--lang", lang)
    assert (status, words[0] in err, words[1] in err) == (0, True, False)
    assert str(env) in err
    status, _, err = undo(capsys, "--yes", "--lang", lang)
    assert (status, words[0] in err, words[1] in err) == (0, True, True)
    assert not env.exists()


def test_data_comes_without_talk(store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    environment(store, tmp_path)
    assert undo(capsys, "--json", "--yes")[2] == ""
