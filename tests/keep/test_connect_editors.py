"""Environments made known to editors: previews, refusals, writes, and an undo to the byte."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from trueup.cli import places
from trueup.cli.main import run
from trueup.keep.connect import jupyter, pycharm, vscode
from trueup.keep.connect.cell import CELL
from trueup.keep.connect.model import Surroundings, Target, target
from trueup.setup.changes import Store
from trueup.setup.changes.files import FileKind

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "connect-1.json").read_text("utf-8"))
KEY = "python.defaultInterpreterPath"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a project with an environment, and be in it; the journal is a fresh one."""
    folder = tmp_path / "我的 project"
    make_env(folder / ".venv")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(places, "data_folder", lambda: tmp_path / "data")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("WSL_DISTRO_NAME", raising=False)
    return folder


def make_env(env: Path, *, kernel: bool = True) -> None:
    (env / "bin").mkdir(parents=True)
    (env / "bin" / "python").write_text("")
    site = env / "lib" / "python3.11" / "site-packages"
    (site / "ipykernel" if kernel else site).mkdir(parents=True)


def surroundings(home: Path, platform: str = "linux", env: Mapping[str, str] | None = None) -> Surroundings:
    return Surroundings(platform, home, env or {}, "\n")


def tree(folder: Path) -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() if p.is_file() else None for p in sorted(folder.rglob("*"))}


def undone(tmp_path: Path) -> None:
    store = Store(tmp_path / "data" / "changes")
    for record in store.records():
        store.undo(record)


SETTINGS = (
    b'\xef\xbb\xbf// mine\r\n{\r\n\t"editor.fontSize": 14, // \xe5\xa4\xa7\r\n\t"python.debugging.env": {},\r\n'
    b'\t"terminal.integrated.env.windows": {"Path": "C:\\\\x"},\r\n}'
)


def test_vscode_settings_are_merged_and_come_back_to_the_byte(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / ".vscode" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(SETTINGS)
    before = tree(project)
    assert run(["connect", "vscode", "--dry-run", "--lang", "en"]) == 0
    assert tree(project) == before
    shown = capsys.readouterr().out
    assert f'+\t"{KEY}": "${{workspaceFolder}}/.venv/bin/python",' in shown
    assert "`python.debugging.env` is in these settings" in shown
    assert "`terminal.integrated.env.windows` sets `Path`" in shown
    assert run(["connect", "vscode", "--yes"]) == 0
    line = f'\t"{KEY}": "${{workspaceFolder}}/.venv/bin/python",\r\n'.encode()
    assert file.read_bytes() == SETTINGS[:-1] + line + b"}"
    capsys.readouterr()
    assert run(["connect", "vscode", "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mode"] == "nothing"
    undone(tmp_path)
    assert tree(project) == before


def test_new_settings_go_away_with_their_folder(project: Path, tmp_path: Path) -> None:
    before = tree(project)
    assert run(["connect", "vscode", "--yes"]) == 0
    assert json.loads((project / ".vscode" / "settings.json").read_text()) == {
        KEY: "${workspaceFolder}/.venv/bin/python"
    }
    undone(tmp_path)
    assert tree(project) == before


def test_a_disk_that_fills_leaves_no_folder_behind(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(project)

    def full(*_: object) -> None:
        assert (project / ".vscode").is_dir()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileKind, "write", full)
    assert run(["connect", "vscode", "--yes"]) == 2
    assert tree(project) == before


def test_a_workspace_file_names_the_interpreter_in_full(project: Path, tmp_path: Path) -> None:
    file = project / "all.code-workspace"
    file.write_text('{"folders": [{"path": "."}]}')
    before = tree(project)
    assert run(["connect", "vscode", "--project", str(file), "--yes"]) == 0
    assert json.loads(file.read_text())["settings"] == {KEY: str(project / ".venv" / "bin" / "python")}
    undone(tmp_path)
    assert tree(project) == before


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"{\n  'a': 1\n}", "line 2, column 3"),
        (b'{"a": 1', "line 1, column 8"),
        (b"\xff\xfe{\x00}\x00", "cannot be read as text"),
        (b"[1, 2]", "does not hold settings"),
    ],
)
@pytest.mark.parametrize("as_json", [True, False])
def test_settings_that_cannot_be_read_stay_as_they_are(
    project: Path, capsys: pytest.CaptureFixture[str], data: bytes, said: str, *, as_json: bool
) -> None:
    file = project / ".vscode" / "settings.json"
    file.parent.mkdir()
    file.write_bytes(data)
    before = tree(project.parent)
    assert run(["connect", "vscode", "--yes", "--lang", "en", *(["--json"] if as_json else [])]) == 2
    assert tree(project.parent) == before
    streams = capsys.readouterr()
    assert said in streams.err
    assert "hint:" in streams.err


def test_a_file_that_changes_meanwhile_is_not_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project / ".vscode" / "settings.json"
    file.parent.mkdir()
    file.write_text("{}")
    real = vscode.connect

    def slow(found: Target, folder: Path, around: Surroundings) -> Any:
        answer = real(found, folder, around)
        file.write_text('{"mine": 1}')
        return answer

    monkeypatch.setattr(vscode, "connect", slow)
    assert run(["connect", "vscode", "--yes"]) == 2
    assert file.read_text() == '{"mine": 1}'


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize(
    ("args", "status"),
    [
        (["vscode"], 2),
        (["vscode", "--yes", "--env", "nowhere"], 2),
        (["vscode", "--yes", "--project", "nowhere"], 2),
        (["vscode", "--yes", "--project", "no.code-workspace"], 2),
        (["pycharm", "--yes", "--project", "nowhere"], 2),
        (["vscode", "--name", "x"], 2),
        (["jupyter", "--yes", "--name", "Ä b"], 2),
        (["emacs"], 2),
        (["jupyter", "--cell"], 0),
        (["--help"], 0),
        (["pycharm"], 0),
        (["jupyter", "--dry-run"], 0),
    ],
)
def test_every_answer_is_said_in_both_languages(
    project: Path, capsys: pytest.CaptureFixture[str], args: list[str], status: int, lang: str
) -> None:
    before = tree(project.parent)
    assert run(["connect", *args, "--lang", lang]) == status
    streams = capsys.readouterr()
    assert streams.out + streams.err
    assert tree(project.parent) == before


@pytest.mark.parametrize("editor", ["vscode", "pycharm", "jupyter"])
def test_the_data_keep_to_their_schema(
    project: Path, capsys: pytest.CaptureFixture[str], editor: str
) -> None:
    assert run(["connect", editor, "--json", "--dry-run"]) == 0
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["editor"] == editor
    assert str(project) in json.dumps(answer, ensure_ascii=False)


def test_a_kernel_names_the_environments_own_python(project: Path, tmp_path: Path) -> None:
    assert run(["connect", "jupyter", "--yes"]) == 0
    [file] = (tmp_path / "jupyter" / "kernels").glob("*/kernel.json")
    kernel = json.loads(file.read_text("utf-8"))
    assert kernel["argv"][0] == str(project / ".venv" / "bin" / "python")
    assert kernel["display_name"] == "Python (我的 project)"
    assert "env" not in kernel
    assert file.parent.name.isascii()
    assert run(["connect", "jupyter", "--yes", "--name", "mine"]) == 0
    undone(tmp_path)
    assert not (tmp_path / "jupyter").exists()


def test_a_kernel_of_another_python_is_not_overwritten(project: Path, tmp_path: Path) -> None:
    file = tmp_path / "jupyter" / "kernels" / "mine" / "kernel.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"argv": ["/other/python"], "display_name": "Mine"}')
    before = tree(tmp_path)
    assert run(["connect", "jupyter", "--yes", "--name", "mine"]) == 2
    assert tree(tmp_path) == before
    file.write_text(
        json.dumps({"argv": [str(project / ".venv/bin/python"), "-m", "old"], "display_name": "Mine"})
    )
    assert run(["connect", "jupyter", "--yes", "--name", "mine"]) == 0
    assert json.loads(file.read_text())["display_name"] == "Mine"


def test_without_ipykernel_the_way_to_it_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_env(project / "bare", kernel=False)
    assert run(["connect", "jupyter", "--env", "bare", "--lang", "en"]) == 2
    assert f'uv pip install --python "{project / "bare/bin/python"}" ipykernel' in capsys.readouterr().err
    (project / "bare/lib/python3.11/site-packages/pip").mkdir()
    assert run(["connect", "jupyter", "--env", "bare", "--lang", "en"]) == 2
    assert f'"{project / "bare/bin/python"}" -m pip install ipykernel' in capsys.readouterr().err
    record = {
        "schema": "trueup.environment/1",
        "trueup": "1",
        "made": "",
        "request_id": None,
        "lock_sha256": "",
        "device": "gpu",
        "python": "3.10",
        "fingerprint": {},
        "alignment": {"builds": [{"package": "tensorflow", "version": "2.10.1"}]},
    }
    (project / "bare" / "trueup.json").write_text(json.dumps(record))
    assert run(["connect", "jupyter", "--env", "bare", "--lang", "en"]) == 2
    assert "`trueup up tensorflow==2.10.1 ipykernel --env" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("platform", "env", "folder"),
    [
        ("linux", {}, "/h/.local/share/jupyter"),
        ("linux", {"XDG_DATA_HOME": "/x"}, "/x/jupyter"),
        ("darwin", {}, "/h/Library/Jupyter"),
        ("win32", {"APPDATA": "/roam"}, "/roam/jupyter"),
        ("win32", {}, "/h/.jupyter/data"),
        ("win32", {"APPDATA": "/r", "LOCALAPPDATA": "/l", "JUPYTER_PLATFORM_DIRS": "1"}, "/l/Jupyter"),
        ("win32", {"APPDATA": "/r", "LOCALAPPDATA": "/l", "JUPYTER_PLATFORM_DIRS": "no"}, "/r/jupyter"),
        ("darwin", {"JUPYTER_PLATFORM_DIRS": "1"}, "/h/Library/Application Support/Jupyter"),
        ("win32", {"JUPYTER_DATA_DIR": "/own", "APPDATA": "/roam"}, "/own"),
    ],
)
def test_jupyters_folder_is_where_jupyter_looks(platform: str, env: dict[str, str], folder: str) -> None:
    assert jupyter.data_folder(surroundings(Path("/h"), platform, env)) == Path(folder)


@pytest.mark.parametrize(
    ("project_name", "kernel"),
    [("mnist", "trueup-mnist"), ("My.Net_2", "trueup-my.net_2"), ("a-b", "trueup-a-b")],
)
def test_kernels_are_named_after_their_project(project_name: str, kernel: str) -> None:
    assert jupyter.kernel_name(project_name) == kernel
    assert jupyter.kernel_name("图像") != jupyter.kernel_name("语音")


MISC = (
    '<?xml version="1.0" encoding="UTF-8"?>\r\n<project version="4">\r\n  <component name="Black"/>\r\n'
    '  <component name="ProjectRootManager" version="2" project-jdk-name="Python 3.6" '
    'project-jdk-type="Python SDK" />\r\n</project>'
)
IML = '<module>\n  <orderEntry type="jdk" jdkName="Python 3.6" jdkType="Python SDK" />\n  <orderEntry type="x" /></module>\n'


def table(home: Path, python: str, name: str) -> None:
    file = home / ".config" / "JetBrains" / "PyCharm2026.1" / "options" / "jdk.table.xml"
    file.parent.mkdir(parents=True)
    file.write_text(
        f'<application><component name="ProjectJdkTable"><jdk version="2"><name value="{name}"/>'
        f'<type value="Python SDK"/><homePath value="{python}"/></jdk></component></application>'
    )


def test_pycharm_gets_the_name_that_it_knows_the_environment_by(project: Path, tmp_path: Path) -> None:
    idea = project / ".idea"
    idea.mkdir()
    (idea / "misc.xml").write_bytes(MISC.encode())
    (idea / "p.iml").write_text(IML)
    table(tmp_path, "$USER_HOME$/我的 project/.venv/bin/python", "Python 3.11 &amp; &lt;mine&gt;")
    found = pycharm.connect(target(project / ".venv"), project, surroundings(tmp_path))
    texts = {edit.path.name: edit.after.decode() for edit in found.edits}
    name = '"Python 3.11 &amp; &lt;mine&gt;"'
    assert texts == {
        "misc.xml": MISC.replace('"Python 3.6"', name),
        "p.iml": IML.replace('"Python 3.6"', name),
    }
    assert [step.code for step in found.steps] == ["connect.pycharm-reload"]


def test_pycharm_that_does_not_know_the_environment_is_told_in_clicks(project: Path, tmp_path: Path) -> None:
    table(tmp_path, "/usr/bin/python3", "Python 3.11")
    found = pycharm.connect(target(project / ".venv"), project, surroundings(tmp_path))
    assert not found.edits
    assert [step.code for step in found.steps][-1] == "connect.pycharm-existing"
    assert found.steps[-1].params["python"] == str(project / ".venv" / "bin" / "python")


def test_inside_wsl_the_editors_are_opened_from_there(project: Path, tmp_path: Path) -> None:
    around = surroundings(tmp_path, env={"WSL_DISTRO_NAME": "Ubuntu"})
    found = vscode.connect(target(project / ".venv"), project, around)
    assert [step.code for step in found.steps] == ["connect.vscode-wsl", "connect.vscode-clear"]
    kernel = jupyter.connect(target(project / ".venv"), project, around, None)
    assert "connect.jupyter-wsl" in [step.code for step in kernel.steps]


def test_the_cell_runs_where_no_framework_is() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", CELL], capture_output=True, check=True, timeout=300
    )
    lines = done.stdout.decode("utf-8").splitlines()
    assert lines[0].startswith("Python / 解释器:")
    assert sys.executable in lines[0]
    assert lines[1].startswith("Frameworks / 框架:")


START = """
import json, sys
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import start_new_kernel
name = sys.argv[1]
assert name in KernelSpecManager().find_kernel_specs(), KernelSpecManager().find_kernel_specs()
manager, client = start_new_kernel(startup_timeout=300, kernel_name=name)
said = []
def hear(message):
    if message["msg_type"] == "stream":
        said.append(message["content"]["text"])
try:
    client.execute_interactive(sys.argv[2], timeout=300, output_hook=hear)
finally:
    client.stop_channels()
    manager.shutdown_kernel(now=True)
print("".join(said))
"""


@pytest.mark.network
@pytest.mark.skipif(sys.platform == "win32", reason="the kernel of this test is that of Linux")
def test_jupyter_really_starts_the_kernel(project: Path, tmp_path: Path) -> None:
    env = project / "real env"
    for command in (
        ["uv", "venv", "-q", "--python", sys.executable, str(env)],
        ["uv", "pip", "install", "-q", "--python", str(env / "bin" / "python"), "ipykernel"],
    ):
        subprocess.run([sys.executable, "-m", *command], check=True, timeout=900)
    assert run(["connect", "jupyter", "--env", "real env", "--name", "shown", "--yes"]) == 0
    done = subprocess.run(
        [str(env / "bin" / "python"), "-c", START, "shown", CELL],
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        env={**os.environ, "JUPYTER_DATA_DIR": str(tmp_path / "jupyter"), "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert str(env / "bin" / "python") in done.stdout
