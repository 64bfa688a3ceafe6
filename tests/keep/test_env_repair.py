"""A repair of a venv with real files: shown, refused where it must be, done, ended at any point, taken back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from conda_packages import wheel
from uv import find_uv_bin

from trueup.cli.main import run
from trueup.keep.envs.copying import obstacles
from trueup.setup.changes import Store, census
from trueup.setup.places import Places

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SIGKILLED = -9

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the places are Linux'")
SCHEMA = json.loads(
    resources.files("trueup.report").joinpath("schemas", "env-repair-1.json").read_text("utf-8")
)
KEPT = ".trueup-before"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home whose packages come from a folder."""
    home = tmp_path / "lab"
    home.mkdir()
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    for name in ("thing", "other"):
        wheel(wheels, name, "1.0", {f"{name}.py": f"NAME = '{name}'\n", f"{name}_data.txt": "x"})
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "CONDA_PREFIX", "VIRTUAL_ENV", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(wheels))
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv-cache"))
    return home


def broken(lab: Path) -> Path:
    """Make a venv with a package that lost a file, and the rest of a broken uninstallation."""
    env = lab / "环境 1"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    python = str(env / "bin" / "python")
    subprocess.run(
        [find_uv_bin(), "pip", "install", "--python", python, "thing", "other"],
        check=True,
        capture_output=True,
    )
    site = place(env)
    (site / "thing.py").unlink()
    (site / "~orch").mkdir()
    (site / "~orch" / "rest").write_text("rest")
    return env


def place(env: Path) -> Path:
    return next(env.glob("lib/python*/site-packages"))


def picture(folder: Path) -> dict[str, Any]:
    """Return every path with what it is: what must be the same after an undo."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        state = path.lstat()
        text = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else b""  # noqa: PTH115
        found[str(path.relative_to(folder))] = (state.st_mode, state.st_ino, text)
    return found


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Mapping[str, Any]]:
    capsys.readouterr()
    status = run([*words, "--json"])
    answer: Mapping[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    return status, answer


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in (".local", ".cache"))


def test_a_venv_is_mended_and_taken_back(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = broken(lab)
    before = picture(env)
    status, shown = asked(capsys, "env", "repair", str(env))
    assert (status, shown["mode"], shown["tool"]) == (1, "planned", "venv")
    assert [(one["name"], one["files"]) for one in shown["missing"]] == [("thing", ["thing.py"])]
    assert len(shown["plan"]["commands"]) == 2
    assert "thing==1.0" in shown["plan"]["commands"][1]
    assert picture(env) == before
    assert names(lab) == [env.name]

    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 0
    told = capsys.readouterr().out
    assert "Repaired" in told
    assert f"{lab / KEPT}" in told
    done = subprocess.run(
        [env / "bin" / "python", "-c", "import thing; print(thing.NAME)"], capture_output=True, check=True
    )
    assert done.stdout == b"thing\n"
    [kept] = (lab / KEPT).iterdir()
    assert picture(kept) == before
    assert asked(capsys, "env", "check", str(env))[1]["sound"]

    assert run(["undo", "--dry-run", "--lang", "zh"]) == 0
    assert f"恢复修复之前的环境 `{env}`" in capsys.readouterr().out
    assert run(["undo", "--yes"]) == 0
    assert picture(env) == before
    assert names(lab) == [env.name]


def test_without_a_yes_nothing_happens(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = broken(lab)
    before = picture(env)
    assert run(["env", "repair", str(env), "--apply"]) == 2  # nobody can be asked
    said = capsys.readouterr()
    assert "A repair would change this" in said.out
    assert "--yes" in said.err
    assert picture(env) == before
    assert run(["env", "repair", str(lab / "none")]) == 2


def test_a_sound_one_has_nothing_to_repair(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = lab / "plain"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    assert asked(capsys, "env", "repair", str(env), "--apply", "--yes")[1]["mode"] == "nothing"
    assert run(["env", "repair", str(env), "--lang", "zh"]) == 0
    assert "没有需要修复的内容" in capsys.readouterr().out


def test_a_package_that_cannot_come_brings_all_back(
    lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = broken(lab)
    before = picture(env)
    for path in (tmp_path / "wheels").iterdir():
        path.unlink()
    subprocess.run([find_uv_bin(), "cache", "clean", "--quiet"], check=True)
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 2
    assert capsys.readouterr().err
    assert picture(env) == before
    assert names(lab) == [env.name]
    assert run(["undo", "--yes"]) == 0
    assert picture(env) == before


def test_a_running_program_of_it_is_named_and_nothing_changed(
    lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = broken(lab)
    before = picture(env)
    with subprocess.Popen([env / "bin" / "python", "-c", "import time; time.sleep(600)"]) as user:
        try:
            assert run(["env", "repair", str(env), "--apply", "--yes"]) == 2
            assert f"({user.pid})" in capsys.readouterr().err
        finally:
            user.kill()
    assert picture(env) == before
    assert names(lab) == [env.name]


def test_a_folder_that_cannot_be_moved_leaves_nothing_beside(
    lab: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from trueup.setup import files
    from trueup.setup.errors import SetupError

    env = broken(lab)
    before = picture(env)

    def held(source: Path, target: Path) -> None:
        raise SetupError("in-use", quote="ERROR_SHARING_VIOLATION", what=f"{source} {target}")

    monkeypatch.setattr(files, "move", held)
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 2
    assert "ERROR_SHARING_VIOLATION" in capsys.readouterr().err
    assert picture(env) == before
    assert names(lab) == [env.name]


def test_what_cannot_be_copied_is_refused_with_the_other_way(
    lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    env = broken(lab)
    if sys.platform != "win32":
        os.mkfifo(env / "pipe")
    assert obstacles(env) == ("pipe",)
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 2
    said = capsys.readouterr().err
    assert "pipe" in said
    assert "trueup up" in said
    assert names(lab) == [env.name]


def test_a_name_is_enough_where_a_tool_keeps_one_of_it(
    lab: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    envs = lab / "work"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", envs / "深度学习"], check=True)
    monkeypatch.setenv("WORKON_HOME", str(envs))
    assert asked(capsys, "env", "check", "深度学习")[1]["sound"]
    assert run(["env", "check", "nobody"]) == 2
    monkeypatch.setenv("PIPX_HOME", str(lab / "pipx"))
    subprocess.run(
        [sys.executable, "-m", "venv", "--without-pip", lab / "pipx" / "venvs" / "深度学习"], check=True
    )
    assert run(["env", "check", "深度学习"]) == 2  # two of one name: nobody guesses


def test_environments_that_are_not_mended(lab: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = broken(lab)
    (env / "trueup.json").write_text("{}")
    for lang, words in (("en", "trueup built"), ("zh", "由 trueup 建立")):
        assert run(["env", "repair", str(env), "--apply", "--yes", "--lang", lang]) == 1
        assert words in capsys.readouterr().out
    (env / "trueup.json").unlink()
    (env / "pyvenv.cfg").unlink()
    meta = env / "conda-meta"
    meta.mkdir()
    (meta / "python-3.11.0-h1_0.json").write_text('{"name": "python", "version": "3.11.0", "build": "h1_0"}')
    (meta / "pixi").write_text("{}")
    assert asked(capsys, "env", "repair", str(env), "--apply", "--yes")[1]["mode"] == "hindered"
    (meta / "pixi").unlink()
    (meta / "conda-25.1.0-py_0.json").write_text('{"name": "conda", "version": "25.1.0", "build": "py_0"}')
    status, answer = asked(capsys, "env", "repair", str(env), "--apply", "--yes")
    assert (status, answer["mode"]) == (1, "hindered")
    assert "an installation of conda itself" in answer["plan"]["hindered"][0]
    assert names(lab) == [env.name]


@pytest.mark.parametrize("text", ["", "[]", '{"name": "x", "version": "1", "files": 5}'])
def test_records_that_are_none_any_more_stop_nobody(
    lab: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    env = broken(lab)
    next(place(env).glob("other-*.dist-info/RECORD")).write_text("a" * 140_000 + ",,\n")
    (env / "conda-meta").mkdir()
    (env / "conda-meta" / "x-1-0.json").write_text(text)
    status, told = asked(capsys, "env", "check", str(env))
    assert status == 1
    assert [one["name"] for one in told["missing"]] == ["thing"]
    assert [one["id"] for one in told["problems"]] == ["record-unread"]
    assert "x-1-0.json" in told["problems"][0]["text"]
    assert run(["env", "check", str(env)]) == 1
    assert "x-1-0.json" in capsys.readouterr().out


KILLED = """
import os, signal, sys
from trueup.cli.main import run
from trueup.keep.envs import repairing
from trueup.setup import files
from trueup.setup.changes import census, made

def die(module, name, *, after):
    act = getattr(module, name)
    def dying(*args, **kwargs):
        if after:
            act(*args, **kwargs)
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(module, name, dying)

where, name, after = sys.argv[2].split()
modules = {"files": files, "repairing": repairing, "census": census, "made": made}
die(modules[where], name, after=after == "after")
sys.exit(run(["env", "repair", sys.argv[1], "--apply", "--yes"]))
"""
POINTS = (
    "made begin before", "made begin after", "files move before", "files move after", "repairing copy after",
    "census begin after", "repairing _remove after", "repairing _install before", "repairing _install after",
    "census finish before", "census finish after", "made close after",
)  # fmt: skip


@pytest.mark.parametrize("point", POINTS)
def test_power_goes_at_any_point_and_undo_is_exact(lab: Path, point: str) -> None:
    env = broken(lab)
    before = picture(env)
    done = subprocess.run([sys.executable, "-c", KILLED, str(env), point], check=False, capture_output=True)
    assert done.returncode == SIGKILLED, done.stderr.decode()
    assert run(["undo", "--yes"]) == 0
    assert picture(env) == before
    left = [name for name in names(lab) if not name.endswith((".trueup-lock", ".trueup-building"))]
    assert left in ([env.name], [KEPT, env.name])
    assert KEPT not in left or not any((lab / KEPT).iterdir())
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 0  # nothing that is left stands in the way
    assert run(["undo", "--yes"]) == 0
    assert picture(env) == before


@pytest.mark.parametrize("point", POINTS)
def test_what_a_power_cut_left_is_told_as_half_made(
    lab: Path, capsys: pytest.CaptureFixture[str], point: str
) -> None:
    env = broken(lab)
    subprocess.run([sys.executable, "-c", KILLED, str(env), point], check=False, capture_output=True)
    whole = point in ("made begin before", "made begin after", "files move before")
    mended = point in ("census finish after", "made close after")
    if not (env / "pyvenv.cfg").exists():
        assert run(["env", "check", str(env)]) == 2
        assert "trueup undo" in capsys.readouterr().err
        return
    status, told = asked(capsys, "env", "check", str(env))
    assert (status, told["sound"]) == (0 if mended else 1, mended)
    assert ("half-made" in [one["id"] for one in told["problems"]]) != (whole or mended)
    if not (whole or mended):
        assert run(["env", "repair", str(env), "--apply", "--yes"]) == 1
        assert "trueup undo" in capsys.readouterr().out
        assert len(list((lab / KEPT).iterdir())) == 1


def test_a_link_stands_for_its_folder(lab: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = broken(lab)
    before = picture(env)
    link = tmp_path / "link"
    link.symlink_to(env)
    with subprocess.Popen([link / "bin" / "python", "-c", "import time; time.sleep(600)"]) as user:
        try:
            assert run(["env", "repair", str(link), "--apply", "--yes"]) == 2
            assert f"({user.pid})" in capsys.readouterr().err
        finally:
            user.kill()
    assert run(["env", "repair", str(link), "--apply", "--yes"]) == 0
    assert link.is_symlink()
    assert (place(link) / "thing.py").exists()
    assert run(["undo", "--yes"]) == 0
    assert picture(env) == before
    assert link.is_symlink()


@pytest.mark.parametrize("point", ["removing", "_bring_back", "_emptied"])
def test_power_goes_while_it_is_taken_back(lab: Path, point: str) -> None:
    env = broken(lab)
    before = picture(env)
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 0
    code = (
        "import os, signal, sys\nfrom trueup.cli.main import run\nfrom trueup.setup.changes import made\n"
        "owner = made.RepairKind if sys.argv[1] == '_bring_back' else made\n"
        "calls = []\nact = getattr(owner, sys.argv[1])\n"
        "def dying(*args):\n"
        "    answer = act(*args)\n"
        "    calls.append(1)\n"
        "    if sys.argv[1] != 'removing' or os.path.lexists(answer):\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return answer\n"
        "setattr(owner, sys.argv[1], dying)\nsys.exit(run(['undo', '--yes']))\n"
    )
    done = subprocess.run([sys.executable, "-c", code, point], check=False, capture_output=True)
    assert done.returncode == SIGKILLED, done.stderr.decode()
    assert run(["undo", "--yes"]) == 0
    assert picture(env) == before
    assert names(lab) == [env.name]


def test_a_folder_of_the_user_in_its_place_after_a_kill_is_left_alone(lab: Path, tmp_path: Path) -> None:
    env = broken(lab)
    point = "repairing copy after"
    subprocess.run([sys.executable, "-c", KILLED, str(env), point], check=False, capture_output=True)
    env.rename(tmp_path / "moved away")
    env.mkdir()
    (env / "mine").write_text("work")
    store = Store(lab / ".local" / "share" / "trueup" / "changes")
    [record] = store.records()
    assert [one.result for one in store.undo(record)] == ["kept"]
    assert (env / "mine").read_text() == "work"
    assert len(list((lab / KEPT).iterdir())) == 1


def test_a_kept_folder_that_was_deleted_leaves_the_repaired_one(lab: Path) -> None:
    import shutil

    env = broken(lab)
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 0
    shutil.rmtree(lab / KEPT)
    assert run(["undo", "--yes"]) == 1
    assert (place(env) / "thing.py").exists()
    assert census.mark(env)["stage"] == "whole"


def test_a_repair_at_work_elsewhere_is_not_taken_back(lab: Path) -> None:
    env = broken(lab)
    assert run(["env", "repair", str(env), "--apply", "--yes"]) == 0
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    try:
        from trueup.setup import exclusive

        time.sleep(0.2)
        Places(env).lock_file.write_text(json.dumps(exclusive.identity(other.pid)))
        assert run(["undo", "--yes"]) == 1
        assert (place(env) / "thing.py").exists()
    finally:
        other.kill()
        other.wait()
