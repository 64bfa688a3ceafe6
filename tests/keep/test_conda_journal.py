"""What conda or pixi builds is in the journal: taken back whole, put beside once used; a kill leaves nothing whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from trueup.cli.main import run
from trueup.setup.changes import Store, census
from trueup.setup.changes.made import made_change
from trueup.setup.places import Places

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-in is a script")

PROGRAM = """#!{python}
import pathlib, sys, time
words = sys.argv[1:]
if "--manifest-path" in words:
    text = ""
    prefix = pathlib.Path(words[words.index("--manifest-path") + 1]).parent / ".pixi" / "envs" / "default"
else:
    text = words[words.index("--file") + 1]
    prefix = pathlib.Path(words[words.index("--prefix") + 1])
meta = prefix / "conda-meta"
meta.mkdir(parents=True)
(meta / "history").write_text("# cmd: conda env create --file " + text)
(prefix / "half").write_text("x")
{then}
(meta / "python-3.10.4-h1_0.json").write_text('{{"name": "python", "version": "3.10.4", "build": "h1_0"}}')
(prefix / "bin").mkdir()
(prefix / "bin" / "python").write_text("")
site = prefix / "lib" / "python3.10" / "site-packages"
site.mkdir(parents=True)
(site / "numpy-1.0.dist-info").mkdir()
(site / "numpy-1.0.dist-info" / "RECORD").write_text("numpy-1.0.dist-info/RECORD,,")
(prefix / "half").unlink()
"""


def program(folder: Path, name: str, then: str = "") -> None:
    folder.mkdir(exist_ok=True)
    file = folder / name
    file.write_text(PROGRAM.format(python=sys.executable, then=then))
    file.chmod(0o755)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home with stand-ins on PATH, in which no lock is asked of an index."""
    from trueup.cli import up_conda

    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "CONDA_EXE", "MAMBA_EXE", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.defpath}")
    monkeypatch.setattr(up_conda, "written", lambda *_: "name: tensorflow\n")
    monkeypatch.setattr(up_conda, "needs_hook", lambda _: False)
    return tmp_path


def store(home: Path) -> Store:
    return Store(home / ".local" / "share" / "trueup" / "changes")


def up(env: Path, installer: str = "conda", *more: str) -> int:
    words = ["up", "tensorflow", "--route", "cpu", "--installer", installer, "--env", str(env)]
    return run([*words, "--yes", "--no-prove", *more])


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in ("bin", ".local", ".cache"))


@pytest.mark.parametrize(("name", "installer"), [("micromamba", "conda"), ("pixi", "pixi")])
def test_it_is_taken_back_whole(
    home: Path, name: str, installer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    program(home / "bin", name)
    env = home / "训练 环境"
    assert up(env, installer) == 1  # not proven, as asked
    assert leftovers(home) == [env.name]
    capsys.readouterr()
    assert run(["undo", "--dry-run", "--json"]) == 0
    [done] = json.loads(capsys.readouterr().out)["transactions"]
    assert [(item["kind"], item["now"]) for item in done["items"]] == [("made", "restorable")]
    assert run(["undo", "--yes", "--lang", "zh"]) == 0
    assert f"删除环境 `{env}`" in capsys.readouterr().out
    assert leftovers(home) == []
    assert run(["undo", "--yes"]) == 0


def test_what_was_installed_since_stays_beside(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(home / "bin", "micromamba")
    env = home / "env"
    assert up(env) == 1
    (env / "lib" / "python3.10" / "site-packages" / "mine.py").write_text("work = 1")
    (env / "conda-meta" / "pandas-2.0-py310_0.json").write_text("{}")
    capsys.readouterr()
    assert run(["undo", "--dry-run", "--json"]) == 0
    [done] = json.loads(capsys.readouterr().out)["transactions"]
    told = {(one["kind"], one["what"]) for one in done["items"][0]["since"]}
    assert ("added", "pandas (conda)") in told
    assert ("files-added", "lib/python3.10/site-packages/mine.py") in told
    assert run(["undo", "--yes"]) == 0
    [aside] = leftovers(home)
    assert aside.startswith("env.trueup-undone-")
    assert (home / aside / "lib" / "python3.10" / "site-packages" / "mine.py").read_text() == "work = 1"


def test_what_fails_leaves_nothing_and_is_said(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(home / "bin", "conda", then="sys.exit('PackagesNotFoundError')")
    assert up(home / "env") == 2
    assert "conda did not build the environment" in capsys.readouterr().err
    assert leftovers(home) == []
    [record] = store(home).records()
    assert record.undone


KILLED = """
import sys
from trueup.cli import up_conda
from trueup.cli.main import run
up_conda.written = lambda *_: "name: tensorflow"
up_conda.needs_hook = lambda _: False
sys.exit(run(["up", "tensorflow", "--route", "cpu", "--installer", sys.argv[2], "--env", sys.argv[1], "--yes", "--no-prove"]))
"""


def killed(env: Path, installer: str = "conda") -> None:
    """Begin a build and kill it, not the program that it started, once that is at work."""
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(env), installer])
    deadline = time.monotonic() + 120
    while not any(env.rglob("half")):
        assert time.monotonic() < deadline, "the stand-in did not start"
        assert child.poll() is None
        time.sleep(0.05)
    child.kill()
    child.wait()


@pytest.mark.parametrize(("name", "installer"), [("conda", "conda"), ("pixi", "pixi")])
def test_a_killed_build_is_taken_back_with_the_program_that_outlived_it(
    home: Path, name: str, installer: str
) -> None:
    program(home / "bin", name, then="time.sleep(600)")
    env = home / "env"
    killed(env, installer)
    started: dict[str, Any] = Places(env).journal.last("program") or {}
    assert env.exists()
    assert run(["undo", "--yes"]) == 0
    assert leftovers(home) == []
    with pytest.raises(ProcessLookupError):
        os.kill(started["pid"], 0)


def test_a_killed_build_is_built_anew_by_the_next_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program(home / "bin", "conda", then="time.sleep(600)")
    env = home / "env"
    killed(env)
    program(home / "bin", "conda")
    assert up(env, "conda", "--dry-run") == 0
    assert (env / "half").exists()  # a look changes nothing
    capsys.readouterr()
    (env / "bin").mkdir()
    (env / "bin" / "python3").write_text("")
    (env / "conda-meta" / "python-3.10.4-h1_0.json").write_text("{}")
    assert run(["env", "list", "--env", str(env), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["environments"]
    assert [one["half"] for one in listed if one["path"] == str(env)] == [True]
    assert run(["env", "list", "--env", str(env), "--lang", "zh"]) == 0
    assert "未完成" in capsys.readouterr().out
    assert up(env) == 1
    assert "half-built" in capsys.readouterr().err
    assert not (env / "half").exists()
    assert census.mark(env)["stage"] == "whole"
    assert run(["undo", "--yes"]) == 0
    assert leftovers(home) == []


def test_an_environment_of_the_user_in_its_place_is_not_taken_for_ours(home: Path) -> None:
    program(home / "bin", "conda", then="time.sleep(600)")
    env = home / "env"
    killed(env)
    made_here = store(home)
    [record] = made_here.records()
    (env / "conda-meta" / "history").write_text("# cmd: conda create --prefix env python")
    assert [look.outlook for look in made_here.look(record)] == ["kept"]
    assert [one.result for one in made_here.undo(record)] == ["kept"]
    assert env.exists()
    assert up(env) == 2


def test_a_folder_of_another_build_stays(tmp_path: Path) -> None:
    changes = Store(tmp_path / "changes")
    (tmp_path / "env").mkdir()
    census.begin(tmp_path / "env", "other")
    with changes.begin("trueup up") as transaction:
        transaction.intend(made_change(tmp_path / "env", "mine"))
    assert [one.result for one in changes.undo(changes.records()[0])] == ["kept"]
    assert Path(tmp_path / "env").is_dir()
