"""All environments of all kinds, found where tools keep them and nowhere else."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from cuda_worlds import linux, windows

from trueup.cli.main import run
from trueup.keep.envs.known import Listing, list_all
from trueup.machine.host import this_host
from trueup.machine.survey import read_survey

if TYPE_CHECKING:
    from pathlib import Path

    from world import World

SCHEMA = json.loads(
    resources.files("trueup.report").joinpath("schemas", "env-list-1.json").read_text("utf-8")
)
HOME = "/home/li"
CFG = "home = /usr/bin\nversion = 3.11.2\n"


def venv(prefix: str, text: str = CFG) -> dict[str, str]:
    return {f"{prefix}/pyvenv.cfg": text, f"{prefix}/bin/python": "\x7fELF"}


def conda(prefix: str) -> dict[str, str]:
    return {f"{prefix}/conda-meta/python-3.10.4-h1_0.json": "{}", f"{prefix}/bin/python3": "\x7fELF"}


def listed(world: World, *built: str) -> Listing:
    return list_all(world, read_survey(world, env_dir=f"{HOME}/proj/.venv"), built)


def tools(listing: Listing) -> dict[str, str]:
    return {known.environment.path: known.tool for known in listing.known}


PLACES = {
    f"{HOME}/.cache/pypoetry/virtualenvs/app-x1-py3.11": "poetry",
    f"{HOME}/.local/share/virtualenvs/app-x2": "pipenv",
    f"{HOME}/.virtualenvs/old": "virtualenvwrapper",
    f"{HOME}/.pyenv/versions/work": "pyenv-virtualenv",
    f"{HOME}/.pyenv/versions/3.11.7/envs/deep": "pyenv-virtualenv",
    f"{HOME}/.local/share/uv/tools/ruff": "uv-tool",
    f"{HOME}/.local/share/pipx/venvs/black": "pipx",
    f"{HOME}/.local/share/hatch/env/virtual/app/x3/app": "hatch",
    f"{HOME}/proj/.venv": "uv",
}


def test_each_tool_s_own_place_on_linux() -> None:
    files: dict[str, str] = {}
    for place in PLACES:
        files |= venv(place, CFG + ("uv = 0.9.0\n" if place.endswith("proj/.venv") else ""))
    files |= conda(f"{HOME}/miniconda3/envs/tf") | conda(f"{HOME}/.pixi/envs/tool")
    files[f"{HOME}/.pixi/envs/tool/conda-meta/pixi"] = "{}"
    files |= venv(f"{HOME}/documents/thesis/.venv")  # the user's own tree: not looked into
    found = tools(listed(linux(files, HOME=HOME)))
    expected = {**PLACES, f"{HOME}/miniconda3/envs/tf": "conda", f"{HOME}/.pixi/envs/tool": "pixi"}
    assert found == expected


def test_variables_name_other_places() -> None:
    files = venv("/data/poetry/app") | venv("/data/work/one") | conda("/data/mamba/envs/tf")
    env = {
        "POETRY_VIRTUALENVS_PATH": "/data/poetry",
        "WORKON_HOME": "/data/work",
        "MAMBA_ROOT_PREFIX": "/data/mamba",
    }
    found = tools(listed(linux(files, None, HOME=HOME, **env)))
    assert found == {
        "/data/poetry/app": "poetry",
        "/data/work/one": "virtualenvwrapper",
        "/data/mamba/envs/tf": "conda",
    }


def test_what_trueup_built_is_known_by_its_journal() -> None:
    files = venv(f"{HOME}/elsewhere/.venv") | {f"{HOME}/elsewhere/.venv/trueup.json": "{}"}
    assert tools(listed(linux(files, HOME=HOME), f"{HOME}/elsewhere/.venv")) == {
        f"{HOME}/elsewhere/.venv": "trueup"
    }


def test_windows_places() -> None:
    local = "C:\\Users\\li\\AppData\\Local"
    files: dict[str, str] = {}
    for prefix in (f"{local}\\pypoetry\\Cache\\virtualenvs\\app", "C:\\Users\\li\\.virtualenvs\\app-2"):
        files |= {f"{prefix}\\pyvenv.cfg": CFG, f"{prefix}\\Scripts\\python.exe": "<pe64>"}
    found = tools(listed(windows({"files": files}, LOCALAPPDATA=local)))
    assert sorted(found.values()) == ["pipenv", "poetry"]


@pytest.mark.parametrize(
    ("packages", "cuda", "where"),
    [
        (["nvidia_cuda_runtime_cu12-12.5.82"], "12.5.1", "wheels"),
        (["nvidia_cuda_runtime_cu11-11.8.89"], "12.5.1", "missing"),
        ([], "12.5.1", "missing"),
        ([], None, "none"),
    ],
)
def test_where_the_cuda_comes_from(packages: list[str], cuda: str | None, where: str) -> None:
    prefix = f"{HOME}/proj/.venv"
    site = f"{prefix}/lib/python3.11/site-packages"
    build = f"{{'is_cuda_build': {cuda is not None}, 'cuda_version': '{cuda}', 'cudnn_version': '9'}}"
    files = venv(prefix) | {f"{site}/tensorflow/python/platform/build_info.py": f"build_info = {build}"}
    for name in ("tensorflow-2.20.0", *packages):
        files[f"{site}/{name}.dist-info/METADATA"] = "Metadata-Version: 2.1\n"
    [known] = listed(linux(files, HOME=HOME)).known
    assert [source.where for source in known.cuda] == [where]


def test_the_machine_s_cuda_counts_only_where_the_loader_looks() -> None:
    prefix = f"{HOME}/proj/.venv"
    site = f"{prefix}/lib/python3.11/site-packages"
    info = "build_info = {'is_cuda_build': True, 'cuda_version': '12.5.1', 'cudnn_version': '9'}"
    files = venv(prefix) | {
        f"{site}/tensorflow/python/platform/build_info.py": info,
        f"{site}/tensorflow-2.20.0.dist-info/METADATA": "",
        "/opt/cuda/lib/libcudart.so.12.5.82": "",
    }
    world = linux(files, HOME=HOME, LD_LIBRARY_PATH="/opt/cuda/lib")
    [known] = listed(world).known
    assert (known.cuda[0].where, known.cuda[0].path) == ("machine", "/opt/cuda/lib/libcudart.so.12.5.82")
    assert listed(linux(files, HOME=HOME)).known[0].cuda[0].where == "missing"


@pytest.mark.skipif(sys.platform == "win32", reason="the places are Linux'")
def test_the_command_with_a_real_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "家"))
    monkeypatch.setenv("WORKON_HOME", str(tmp_path / "环境"))
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "PYENV_ROOT", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    made = tmp_path / "环境" / "one"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", made], check=True)
    (made / "big").write_bytes(bytes(3_000_000))
    assert run(["env", "list", "--env", str(tmp_path / "none"), "--json"]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    [mine] = [one for one in answer["environments"] if one["path"] == str(made)]
    assert (mine["tool"], mine["frameworks"]) == ("virtualenvwrapper", [])
    assert 3_000_000 < mine["size"] < 9_000_000
    assert run(["env", "list", "--env", str(tmp_path / "none"), "--lang", "zh"]) == 0
    assert "管理者：virtualenvwrapper" in capsys.readouterr().out


def test_a_link_is_not_followed_for_the_size(tmp_path: Path) -> None:
    from trueup.keep.cuda.sizes import folder_size
    from trueup.values import Unknown

    (tmp_path / "in").mkdir()
    (tmp_path / "big").write_bytes(bytes(1000))
    (tmp_path / "in" / "small").write_bytes(bytes(10))
    (tmp_path / "in" / "link").symlink_to(tmp_path / "big")
    (tmp_path / "in" / "loop").symlink_to(tmp_path)
    host = this_host()
    assert folder_size(host, str(tmp_path / "in")) == 10
    assert isinstance(folder_size(host, str(tmp_path), most=2), Unknown)


def test_a_framework_without_its_cuda_has_a_verdict_in_both_languages() -> None:
    from trueup.cli.env import judged
    from trueup.report.envs import as_data, as_text

    prefix = f"{HOME}/proj/.venv"
    site = f"{prefix}/lib/python3.11/site-packages"
    info = "build_info = {'is_cuda_build': True, 'cuda_version': '12.5.1', 'cudnn_version': '9'}"
    files = venv(prefix) | {f"{site}/tensorflow/python/platform/build_info.py": info}
    files[f"{site}/tensorflow-2.20.0.dist-info/METADATA"] = ""
    world = linux(files, HOME=HOME)
    survey = read_survey(world, env_dir=prefix)
    listing = list_all(world, survey)
    rows = [(one, judged(world, survey, one.environment, local=False)) for one in listing.known]
    data = as_data(listing, rows, "en")
    jsonschema.validate(data, SCHEMA)
    [framework] = data["environments"][0]["frameworks"]
    assert (framework["cuda_from"], framework["outcome"]) == ("missing", "cpu-only")
    assert "[--] tensorflow 2.20.0  no CUDA that it would find" in as_text(listing, rows, "en")
    assert "找不到可用的 CUDA" in as_text(listing, rows, "zh_CN")


def test_a_toolkit_that_the_environment_names_for_itself() -> None:
    prefix = f"{HOME}/proj/.venv"
    site = f"{prefix}/lib/python3.11/site-packages"
    info = "build_info = {'is_cuda_build': True, 'cuda_version': '12.5.1', 'cudnn_version': '9'}"
    files = venv(prefix) | {
        f"{site}/tensorflow/python/platform/build_info.py": info,
        f"{site}/tensorflow-2.20.0.dist-info/METADATA": "",
        f"{site}/trueup.pth": "",
        f"{prefix}/trueup-cuda.txt": "/opt/cuda/lib\n/gone\n",
        "/opt/cuda/lib/libcudart.so.12.5.82": "",
    }
    [known] = listed(linux(files, HOME=HOME)).known
    assert known.environment.chosen == ("/opt/cuda/lib",)
    assert (known.cuda[0].where, known.cuda[0].path) == ("machine", "/opt/cuda/lib")
