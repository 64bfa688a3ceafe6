"""What `clean` finds, each kind of leftover, and what it leaves because it serves something."""

from __future__ import annotations

import json
import os
import sys
import time
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from leftovers import PACKAGE, Home, fill, python_rest, tree

from trueup.cli.main import run
from trueup.keep.clean.finders import caches, condas, pythons, toolkits
from trueup.keep.clean.scene import Scene
from trueup.keep.pathvar.variables import KEYS
from trueup.keep.pathvar.view import read_view
from trueup.machine.host import RecordedHost
from trueup.setup.changes import Store

if TYPE_CHECKING:
    from trueup.keep.clean.finders.made import Found

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "clean-1.json").read_text("utf-8"))
posix = pytest.mark.skipif(sys.platform == "win32", reason="a home of POSIX")
ENV = {
    "PATH": "",
    "USERPROFILE": "C:\\Users\\李",
    "LOCALAPPDATA": "C:\\Users\\李\\Local",
    "APPDATA": "C:\\Users\\李\\Roaming",
    "PROGRAMFILES": "C:\\Program Files",
    "SYSTEMROOT": "C:\\Windows",
}
CUDA = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA"


def windows(tmp_path: Path, answers: dict[tuple[str, ...], Any]) -> Scene:
    """Return a Windows that gave these answers; a drive C: is there."""
    rows = [
        {"ask": list(ask), "is": value} for ask, value in {("match", "C:\\", "\0"): [], **answers}.items()
    ]
    host = RecordedHost({"schema": "trueup.machine/1", "platform": "windows", "env": ENV, "answers": rows})
    store = Store(tmp_path / "changes")
    return Scene(host, tmp_path, tmp_path, store, (), (), (), read_view(host))


def absent(*paths: str) -> dict[tuple[str, ...], Any]:
    return {key: None for path in paths for key in (("size", path), ("match", path, "\0"))}


def names(found: list[Found]) -> list[str]:
    return [one.name for one in found]


def test_registry_entries_of_pythons_that_are_gone(tmp_path: Path) -> None:
    answers: dict[tuple[str, ...], Any] = {}
    rows = {
        "HKCU\\SOFTWARE\\Python": "C:\\gone\\Python39\\",
        "HKLM\\SOFTWARE\\Python": "C:\\gone\\Python38\\",
        "HKLM\\SOFTWARE\\WOW6432Node\\Python": "D:\\away\\Python37\\",
    }
    for root, folder in rows.items():
        answers[("registry_keys", root)] = ["PyLauncher", "PythonCore"]
        answers[("registry_keys", f"{root}\\PythonCore")] = ["3.x"]
        answers[("registry_values", f"{root}\\PythonCore\\3.x\\InstallPath")] = {"": folder}
    answers |= absent("C:\\gone\\Python39\\python.exe", "C:\\gone\\Python38\\python.exe")
    answers[("match", "D:\\", "\0")] = None
    found = list(pythons.registry_keys(windows(tmp_path, answers)))
    assert names(found) == [
        "HKCU\\SOFTWARE\\Python\\PythonCore\\3.x",
        "HKLM\\SOFTWARE\\Python\\PythonCore\\3.x",
    ]
    assert found[0].steps == ()
    assert found[1].steps == (
        'reg export "HKLM\\SOFTWARE\\Python\\PythonCore\\3.x" "%USERPROFILE%\\removed-3-x.reg" /y',
        'reg delete "HKLM\\SOFTWARE\\Python\\PythonCore\\3.x" /f',
    )
    assert found[1].changes == ()


def test_an_answer_that_is_missing_is_never_a_leftover(tmp_path: Path) -> None:
    answers: dict[tuple[str, ...], Any] = {
        ("registry_keys", "HKCU\\SOFTWARE\\Python"): ["PythonCore"],
        ("registry_keys", "HKCU\\SOFTWARE\\Python\\PythonCore"): ["3.9"],
        ("registry_values", "HKCU\\SOFTWARE\\Python\\PythonCore\\3.9\\InstallPath"): {"": "C:\\not asked\\"},
        ("registry_values", KEYS["user"]): {"CUDA_PATH": "C:\\not asked", "CUDA_HOME": "\\\\server\\cuda"},
        ("list_dir", CUDA): ["v11.2"],
        ("list_dir", f"{CUDA}\\v11.2"): ["bin"],
    }
    scene = windows(tmp_path, answers)
    assert [*pythons.registry_keys(scene), *toolkits.variables(scene), *toolkits.toolkits(scene)] == []


def test_rests_of_toolkits_and_their_variables(tmp_path: Path) -> None:
    rest, whole = f"{CUDA}\\v11.2", f"{CUDA}\\v12.4"
    answers: dict[tuple[str, ...], Any] = {
        ("list_dir", CUDA): ["v11.2", "v12.4", "v11.8", "notes"],
        ("list_dir", rest): ["bin", "extras"],
        ("list_dir", f"{CUDA}\\v11.8"): ["bin"],
        ("list_dir", f"{CUDA}\\v11.8\\bin"): ["cublas64_11.dll"],
        ("read_text", f"{CUDA}\\v11.8\\version.json"): None,
        ("read_text", f"{CUDA}\\v11.8\\version.txt"): None,
        **absent(f"{CUDA}\\v11.8\\bin\\nvcc.exe"),
        ("list_dir", whole): ["bin", "version.json"],
        ("size", f"{whole}\\bin\\nvcc.exe"): 5,
        **absent(f"{rest}\\bin\\nvcc.exe", rest),
        ("read_text", f"{rest}\\version.json"): None,
        ("read_text", f"{rest}\\version.txt"): None,
        ("registry_values", KEYS["user"]): {"CUDA_PATH": rest, "Path": "", "CUDA_VISIBLE_DEVICES": "0"},
        ("registry_values", KEYS["machine"]): {"CUDA_PATH_V11_2": rest},
    }
    scene = windows(tmp_path, answers)
    assert names(list(toolkits.toolkits(scene))) == [rest]
    user, machine = sorted(toolkits.variables(scene), key=lambda one: one.steps)
    assert [change.target["name"] for change in user.changes] == ["CUDA_PATH"]
    assert (machine.changes, machine.steps[1]) == (
        (),
        f'reg delete "{KEYS["machine"]}" /v CUDA_PATH_V11_2 /f',
    )


def test_folders_of_pythons(tmp_path: Path) -> None:
    root = "C:\\Users\\李\\Local\\Programs\\Python"
    answers: dict[tuple[str, ...], Any] = {
        ("list_dir", root): ["Python39", "Python310", "Launcher", "Python311"],
        ("list_dir", f"{root}\\Python39"): ["Lib", "Scripts"],
        ("list_dir", f"{root}\\Python310"): ["python.exe"],
        ("list_dir", f"{root}\\Python311"): ["Lib"],
        **absent(f"{root}\\Python39\\python.exe"),
        ("size", f"{root}\\Python310\\python.exe"): 5,
    }
    found = list(pythons.folders(windows(tmp_path, answers)))
    assert [(one.name, one.sure) for one in found] == [
        (f"{root}\\Python39", "likely"),
        (f"{root}\\Python310", "look"),
        (f"{root}\\Python311", "look"),
    ]


@posix
def test_records_without_content_and_packages_twice(home: Home) -> None:
    site = fill(home.path / "project" / ".venv", {"pyvenv.cfg": "home = /usr/bin\nversion = 3.11.2\n"})
    site = fill(site / "lib/python3.11/site-packages", PACKAGE)
    fill(site / "x-0.9.dist-info", {"METADATA": "", "RECORD": "x/__init__.py,,99\n", "INSTALLER": "pip\n"})
    fill(site / "y-1.0.dist-info", {"METADATA": "", "INSTALLER": "pip\n"})
    fill(site / "z-1.0.dist-info", {"METADATA": "", "INSTALLER": "debian\n"})
    fill(site / "w-1.0.dist-info", {"METADATA": "", "RECORD": "w.py,,5\n"})
    fill(site / "w-2.0.dist-info", {"METADATA": "", "RECORD": "w.py,,6\n"})
    found = {Path(one.name).name: one for one in home.listed().items if one.kind == "distribution"}
    assert {name: (one.why.code, one.offered) for name, one in found.items()} == {
        "x-0.9.dist-info": ("clean.why-twice", True),
        "y-1.0.dist-info": ("clean.why-hollow", True),
        "w-1.0.dist-info": ("clean.why-twice-unclear", False),
        "w-2.0.dist-info": ("clean.why-twice-unclear", False),
    }


@posix
def test_conda_and_its_list(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    base = home.path / "miniconda3"
    fill(base, {"conda-meta/history": "", "envs/old/lib/rest.txt": "", "envs/good/conda-meta/history": ""})
    record = '{"files": ["bin/python3.9"]}'
    fill(base, {"conda-meta/python-3.9.7-h1_0.json": record, "bin/python3.9": "", "bin/python": ""})
    gone = home.path / "gone"
    fill(home.path, {".conda/environments.txt": f"{base}\n{gone}\n"})
    scene = home.scene()
    assert names(list(condas.condas(scene))) == [str(base / "envs" / "old")]
    before = tree(home.path)
    [item] = [one for one in home.listed().items if one.kind == "conda-list"]
    assert not home.store.folder.exists(), "looking writes nothing"
    assert run(["clean", item.handle, "--apply", "--yes"]) == 0
    assert (home.path / ".conda" / "environments.txt").read_bytes() == f"{base}\n".encode()
    assert run(["undo", "--yes"]) == 0
    assert tree(home.path) == before
    capsys.readouterr()


@posix
def test_caches_are_left_to_their_tools(home: Home) -> None:
    fill(home.path / ".cache", {"pip/http/a": "x" * 10, "uv/wheels/b": "x" * 20})
    fill(home.path / ".nv" / "ComputeCache", {"1/2": "x" * 30})
    found = {Path(one.name).name: one for one in caches.caches(home.scene())}
    assert found["uv"].command == ("uv", "cache", "prune")
    assert found["pip"].command[1:] == ("-m", "pip", "cache", "purge")
    assert found["ComputeCache"].path == home.path / ".nv" / "ComputeCache"
    items = {Path(one.name).name: one for one in home.listed().items}
    sizes = {name: item.size.bytes for name, item in items.items() if item.size}
    assert (sizes["pip"], sizes["uv"]) == (10, 20)
    assert not items["pip"].offered, "`--all` never runs a tool"
    assert items["ComputeCache"].offered


@posix
def test_an_unfinished_bundle_of_yesterday(home: Home) -> None:
    project, old = home.path / "project", time.time() - 3 * 86400
    fill(project / "b.trueup-bundling", {".locks/q.toml": "x", "wheels/x.whl": "x"})
    fill(project / "mine.trueup-bundling", {"wheels/x.whl": "x"})
    fill(project / "now.trueup-bundling", {".locks/q.toml": "x"})
    for name in ("b", "mine"):
        for path in (project / f"{name}.trueup-bundling", *(project / f"{name}.trueup-bundling").rglob("*")):
            os.utime(path, (old, old))
    [found] = [one for one in home.listed().items if one.kind == "building"]
    assert Path(found.name).name == "b.trueup-bundling"
    assert found.why.code == "clean.why-bundling"


@posix
def test_unfinished_builds_of_yesterday(home: Home) -> None:
    project = home.path / "project"
    for name in (".venv", "fresh", "foreign"):
        journal = {} if name == "foreign" else {"journal.jsonl": "{}\n"}
        fill(project / f"{name}.trueup-building", {"wheels/x": "x", **journal})
    from trueup.setup.journal import NAME

    assert NAME == "journal.jsonl"
    old = time.time() - 3 * 86400
    for name in (".venv", "foreign"):
        for path in (project / f"{name}.trueup-building").rglob("*"):
            os.utime(path, (old, old))
        os.utime(project / f"{name}.trueup-building", (old, old))
    assert [Path(one.name).name for one in home.listed().items if one.kind == "building"] == [
        ".venv.trueup-building"
    ]


@posix
def test_packages_of_a_python_that_is_not_there(home: Home) -> None:
    fill(home.path / ".local/lib/python3.5/site-packages", PACKAGE)
    version = ".".join(map(str, sys.version_info[:2]))
    item = home.item(home.path / ".local/lib/python3.5")
    assert (item.why.code, item.offered) == ("clean.why-user-site", True)
    assert version != "3.5"


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    status = run(["clean", *words, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(found, SCHEMA)
    return status, found


@posix
def test_from_the_list_to_the_emptied_trash(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    rest = python_rest(home.versions / "3.9.1")
    mine = fill(python_rest(home.versions / "3.8.1"), {"thesis.ipynb": "{}"})
    before = tree(home.path)
    status, listed = answer(capsys)
    assert (status, listed["mode"], tree(home.path)) == (0, "list", before)
    status, done = answer(capsys, "--all", "--apply", "--yes")
    assert (status, [x["result"] for x in done["items"]]) == (0, ["taken"])
    assert (rest.exists(), mine.exists()) == (False, True)
    assert run(["undo", "--yes"]) == 0
    assert tree(home.path) == before
    assert answer(capsys, "--all", "--apply", "--yes")[0] == 0
    status, emptied = answer(capsys, "--empty-trash", "--yes")
    assert (status, len(emptied["trash"]), emptied["trash"][0]["failed"]) == (0, 1, None)
    assert answer(capsys, "--empty-trash", "--yes")[1]["mode"] == "nothing"
    assert tree(mine)["thesis.ipynb"][2] == b"{}"


@posix
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_words_of_the_list_and_of_the_end(home: Home, capsys: pytest.CaptureFixture[str], lang: str) -> None:
    fill(python_rest(home.versions / "3.8.1"), {"thesis.ipynb": "{}"})
    item = home.item(home.versions / "3.8.1")
    capsys.readouterr()
    assert run(["clean", "--lang", lang]) == 0
    text = capsys.readouterr().out
    assert item.handle in text
    assert "thesis.ipynb" in text
    assert {"en": "nothing was changed", "zh": "没有做任何改动"}[lang] in text
    assert run(["clean", item.handle, "--apply", "--yes", "--lang", lang]) == 0
    assert {"en": "brings everything back", "zh": "全部移回"}[lang] in capsys.readouterr().out


@posix
@pytest.mark.parametrize(
    "words",
    [
        ["--apply"],
        ["nonsense"],
        ["x", "--all"],
        ["--empty-trash", "--all"],
        ["python-0000", "--apply", "--yes"],
    ],
)
def test_a_mistake_changes_nothing(home: Home, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    python_rest(home.versions / "3.9.1")
    before = tree(home.path)
    assert run(["clean", *words]) == 2
    assert "hint" in capsys.readouterr().err
    assert tree(home.path) == before


@posix
def test_nobody_to_ask_changes_nothing(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    python_rest(home.versions / "3.9.1")
    before = tree(home.path)
    assert run(["clean", "--all", "--apply"]) == 2
    assert "--yes" in capsys.readouterr().err
    assert tree(home.path) == before
