"""An environment is a change, too: taken back while it is as it was built, put beside once it was used."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from made import FOO, machine_here, question_of

from trueup import setup
from trueup.setup import record
from trueup.setup.changes import Store, tally
from trueup.setup.changes.files import move_change
from trueup.setup.events import Note

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.setup.events import Event


@pytest.fixture
def built(mood: Callable[[str], None], tmp_path: Path) -> tuple[Path, Store]:
    """Return an environment in a folder with a space and Chinese characters, and its journal."""
    mood("good")
    env, store = tmp_path / "a 环境" / ".venv", Store(tmp_path / "journal")
    setup.build(FOO, question_of(), env, machine=machine_here(), changes=store)
    return env, store


def results(store: Store) -> list[str]:
    return [outcome.result for outcome in store.undo(store.records()[0])]


def test_an_untouched_environment_goes_without_a_trace(built: tuple[Path, Store]) -> None:
    env, store = built
    subprocess.run([record.python_of(env), "-c", "import foo, pip"], check=True)  # writes __pycache__
    setup.mark_proven(env, {"device": "cpu"})
    assert [look.outlook for look in store.look(store.records()[0])] == ["restorable"]
    assert results(store) == ["restored"]
    assert list(env.parent.iterdir()) == []
    assert store.records()[0].undone
    assert results(store) == ["already"]


def test_what_the_user_did_since_is_named_and_kept(built: tuple[Path, Store]) -> None:
    env, store = built
    site = record.site_packages(env)
    (env / "我的 notes.txt").write_text("mine")
    (site / "foo" / "extra.py").write_text("mine = 1")
    module = site / "foo" / "__init__.py"
    same_size = module.read_bytes()[:-1] + b"#"
    module.write_bytes(same_size)
    info = site / "mine-2.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("mine-2.0.dist-info/RECORD,,\n")
    [look] = store.look(store.records()[0])
    assert look.outlook == "moves"
    named = {(change.kind, change.what) for change in look.since}
    assert {
        ("added", "mine"),
        ("files-added", "我的 notes.txt"),
        ("files-added", os.path.relpath(site / "foo" / "extra.py", env)),
        ("files-edited", os.path.relpath(module, env)),
    } <= named
    [outcome] = store.undo(store.records()[0])
    assert outcome.result == "moved"
    assert not env.exists()
    aside = Path(outcome.why)
    assert aside.parent == env.parent
    assert aside.name.startswith(".venv.trueup-undone-2")
    assert (aside / "我的 notes.txt").read_text() == "mine"
    moved = aside / module.relative_to(env)
    assert moved.read_bytes() == same_size


@pytest.mark.skipif(sys.platform == "win32", reason="a link to a Python outside is POSIX's way")
def test_an_environment_in_use_is_named_not_fought(built: tuple[Path, Store]) -> None:
    env, store = built
    code = "print(1, flush=True); input()"
    with subprocess.Popen(
        [record.python_of(env), "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as used:
        assert used.stdout is not None
        used.stdout.readline()
        [look] = store.look(store.records()[0])
        [outcome] = store.undo(store.records()[0])
        used.communicate(b"\n")
    assert (look.outlook, outcome.result) == ("in-use", "in-use")
    assert f"({used.pid})" in outcome.why
    assert setup.inspect(env).name == "complete"
    assert not store.records()[0].undone
    assert results(store) == ["restored"]


def test_a_removal_that_was_killed_goes_on(built: tuple[Path, Store]) -> None:
    env, store = built
    env.rename(env.with_name(".venv.trueup-removing"))
    (env.with_name(".venv.trueup-removing") / record.NAME).unlink()
    assert results(store) == ["restored"]
    assert list(env.parent.iterdir()) == []


def test_an_environment_that_was_replaced_comes_back(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    env, store = tmp_path / ".venv", Store(tmp_path / "journal")
    env.mkdir()
    (env / "old.txt").write_text("old")
    with store.begin("trueup up") as transaction:
        transaction.apply(move_change(env, tmp_path / ".venv.before"))
    setup.build(FOO, question_of(), env, machine=machine_here(), changes=store)
    for found in store.records():
        store.undo(found)
    assert (env / "old.txt").read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} == {".venv", "journal", "cache"}


def test_another_environment_of_that_name_is_left_alone(built: tuple[Path, Store]) -> None:
    env, store = built
    text = (env / record.NAME).read_text("utf-8")
    made = record.read(env)
    assert made is not None
    (env / record.NAME).write_text(text.replace(made.made, "2031-01-01T00:00:00+00:00"), "utf-8")
    assert results(store) == ["kept"]
    (env / record.NAME).unlink()
    assert results(store) == ["kept"]
    assert env.exists()


def test_a_journal_that_cannot_be_written_costs_no_build(mood: Callable[[str], None], tmp_path: Path) -> None:
    mood("good")
    (tmp_path / "journal").write_text("a file, where a folder should be")
    env = tmp_path / ".venv"
    events: list[Event] = []
    store = Store(tmp_path / "journal")
    setup.build(FOO, question_of(), env, machine=machine_here(), changes=store, on_event=events.append)
    assert setup.inspect(env).name == "complete"
    assert "setup.note-no-journal" in [event.text.code for event in events if isinstance(event, Note)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an environment with one package whose RECORD has sizes and digests, as real ones have."""
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    info = site / "real-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "real.py").write_bytes(b"x = 1\n")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"x = 1\n").digest()).rstrip(b"=").decode()
    (info / "RECORD").write_text(f"real.py,sha256={digest},6\nreal-1.0.dist-info/RECORD,,\n")
    return tmp_path


def test_only_what_was_touched_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def digest(path: Path) -> str:
        read.append(path.name)
        return "0" * 64

    monkeypatch.setattr(tally, "sha256_of", digest)
    assert tally.tally(folder, time.time_ns() + 10**9)["edited"] == []
    assert read == []
    assert tally.tally(folder, 0)["edited"] != []
    assert read == ["real.py"]
    tally.tally(folder, 0)
    assert read == ["real.py"]  # once in a command that looks twice
    (record.site_packages(folder) / "real.py").write_bytes(b"x = 2\n")
    tally.tally(folder, 0)
    assert read == ["real.py"] * 2


@pytest.mark.parametrize(("text", "edited"), [(b"x = 1\n", False), (b"x = 2\n", True), (b"x = 10\n", True)])
def test_an_edit_of_the_same_size_is_seen(folder: Path, text: bytes, edited: bool) -> None:
    at = time.time_ns()
    module = record.site_packages(folder) / "real.py"
    time.sleep(0.02)  # file systems round their clocks
    module.write_bytes(text)
    before = module.stat()
    if sys.platform != "win32":
        os.utime(module, ns=(0, 0))  # a tool that keeps the old time deceives nobody
        assert module.stat().st_ctime_ns >= before.st_ctime_ns
    names = tally.tally(folder, at)["edited"]
    assert names == ([os.path.relpath(module, folder)] if edited else [])
