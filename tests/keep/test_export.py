"""What an environment becomes as a file, read back by conda's own library and solved by it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml
from conda_channel import channel, row, solved
from conda_packages import wheel
from cuda_worlds import linux
from uv import find_uv_bin

from trueup.cli.main import run
from trueup.keep.envs.content import Content, channel_of, read_content
from trueup.keep.envs.export import environment_yml, requirements_txt
from trueup.machine.inventory.environments import read_environment
from trueup.report.say import say

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "export-1.json").read_text("utf-8"))
PREFIX = "/home/li/miniconda3/envs/tf 训练"
SITE = f"{PREFIX}/lib/python3.10/site-packages"
FORGE = "https://conda.example/conda-forge"


def record(
    name: str, version: str, build: str, channel: str = f"{FORGE}/linux-64", **more: Any
) -> dict[str, str]:
    url = f"{channel}/{name}-{version}-{build}.conda"
    text = json.dumps(
        {"name": name, "version": version, "build": build, "channel": channel, "url": url, **more}
    )
    return {f"{PREFIX}/conda-meta/{name}-{version}-{build}.json": text}


def dist(name: str, version: str, direct: Mapping[str, Any] | None = None) -> dict[str, str]:
    folder = f"{SITE}/{name}-{version}.dist-info"
    files = {f"{folder}/METADATA": f"Name: {name}\nVersion: {version}\n"}
    return files | ({f"{folder}/direct_url.json": json.dumps(direct)} if direct else {})


def content(*parts: dict[str, str]) -> Content:
    files = {name: text for part in parts for name, text in part.items()}
    world = linux(files, HOME="/home/li")
    environment = read_environment(world, PREFIX, ("folder",), ())
    assert environment is not None
    return read_content(world, environment)


PYTHON = record("python", "3.10.4", "h2660328_0_cpython")
CUDA = record("cudatoolkit", "11.2.2", "hc23eb0c_11") | record("cudnn", "8.1.0.77", "h90431f1_0")


def test_no_prefix_no_build_and_pip_s_own_part() -> None:
    owned = f"{SITE.removeprefix(PREFIX + '/')}/numpy-1.26.4.dist-info/METADATA"
    numpy = record("numpy", "1.26.4", "py310hb13e2d6_0", files=[owned]) | dist("numpy", "1.26.4")
    text = environment_yml(
        "tf", content(PYTHON, CUDA, numpy, dist("tensorflow", "2.10.1"), dist("pip", "24.0"))
    )
    assert yaml.safe_load(text) == {
        "name": "tf",
        "channels": ["conda-forge"],
        "dependencies": [
            "cudatoolkit=11.2.2", "cudnn=8.1.0.77", "numpy=1.26.4", "python=3.10.4", "pip",
            {"pip": ["tensorflow==2.10.1"]},
        ],
    }  # fmt: skip
    assert PREFIX not in text


def test_a_variant_for_cuda_is_kept_and_another_channel_names_itself() -> None:
    made = record("tensorflow", "2.10.0", "cuda112py310hbbed0fb_0")
    other = record("cuda-nvcc", "11.8.89", "0", "https://conda.example/nvidia/linux-64")
    document = yaml.safe_load(environment_yml("x", content(PYTHON, CUDA, made, other)))
    assert document["channels"] == ["conda-forge", "nvidia"]
    assert "tensorflow ==2.10.0 *cuda112*" in document["dependencies"]
    assert "nvidia::cuda-nvcc=11.8.89" in document["dependencies"]


@pytest.mark.parametrize(
    ("channel", "url", "name"),
    [
        (f"{FORGE}/linux-64", "", "conda-forge"),
        ("conda-forge", "", "conda-forge"),
        ("https://repo.example/pkgs/main/linux-64", "", "defaults"),
        ("https://li:secret@conda.example/t/abc-123/team/noarch", "", "team"),
        (
            "https://mirror.example/anaconda/cloud/conda-forge/win-64",
            "",
            "https://mirror.example/anaconda/cloud/conda-forge",
        ),
        ("file:///home/li/bld/linux-64", "", None),
        ("local", "", None),
        ("<unknown>", "file:///tmp/x-1-0.conda", None),
        ("", f"{FORGE}/noarch/x-1-0.conda", "conda-forge"),
        ("", "", None),
    ],
)
def test_channels_by_name_without_logins(channel: str, url: str, name: str | None) -> None:
    assert channel_of(channel, url) == name


def test_what_cannot_be_rebuilt_is_said_and_left_out() -> None:
    found = content(
        PYTHON,
        record("mine", "0.1", "0", "file:///home/li/bld/linux-64"),
        dist("editable", "1.0", {"url": "file:///home/li/src", "dir_info": {"editable": True}}),
        dist("local", "1.0", {"url": "file:///home/li/local-1.0-py3-none-any.whl", "archive_info": {}}),
        dist("cloned", "1.0", {"url": "https://token@git.example/x.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}}),
        {f"{PREFIX}/conda-meta/broken-1-0.json": "{"},
    )  # fmt: skip
    lost = [one.code for one in found.lost]
    assert lost == [
        "export.lost-unread",
        "export.lost-local-build",
        "export.lost-editable",
        "export.lost-local",
    ]
    text = environment_yml("x", found)
    assert "cloned @ git+https://git.example/x.git@abc" in text
    assert not any(name in text for name in ("mine", "editable", "local-1.0", "token"))
    assert all(say(one, "en") != say(one, "zh_CN") for one in (*found.lost, *found.notes))


def test_pip_over_conda_is_said() -> None:
    found = content(PYTHON, record("numpy", "1.24.0", "py310_0"), dist("numpy", "2.0.0"))
    assert [note.code for note in found.notes] == ["export.overrides"]
    assert found.notes[0].params == {"name": "numpy", "version": "2.0.0", "other": "1.24.0"}


def test_conda_s_own_library_reads_each_spec_back() -> None:
    rattler = pytest.importorskip("rattler")
    made = record("tensorflow", "2.10.0", "cuda112py310hbbed0fb_0")
    document = yaml.safe_load(environment_yml("x", content(PYTHON, CUDA, made)))
    specs = [rattler.MatchSpec(one, strict=True) for one in document["dependencies"] if one != "pip"]
    read = {spec.name.normalized: (str(spec.version), str(spec.build)) for spec in specs}
    assert read == {
        "python": ("3.10.4.*", "None"),
        "cudatoolkit": ("11.2.2.*", "None"),
        "cudnn": ("8.1.0.77.*", "None"),
        "tensorflow": ("==2.10.0", "*cuda112*"),
    }


def test_the_file_solves_to_what_was_there(tmp_path: Path) -> None:
    pytest.importorskip("rattler")
    rows = (
        row("python", "3.10.4", "h1_0", "linux-64"),
        row("python", "3.11.0", "h1_0", "linux-64"),
        row("cudatoolkit", "11.2.2", "h1_11", "linux-64"),
        row("tensorflow", "2.10.0", "cuda112py310h1_0", "linux-64", ("python 3.10.*", "cudatoolkit 11.2.*")),
        row("tensorflow", "2.10.0", "cpu_py310h1_0", "linux-64", ("python 3.10.*",)),
        row("tensorflow", "2.11.0", "cuda112py310h1_0", "linux-64", ("python 3.10.*",)),
    )
    with channel(tmp_path, "linux-64", *rows) as address:
        place = f"{address}/linux-64"
        found = content(
            record("python", "3.10.4", "h1_0", place),
            record("cudatoolkit", "11.2.2", "h1_11", place),
            record("tensorflow", "2.10.0", "cuda112py310h1_0", place),
        )
        document = yaml.safe_load(environment_yml("x", found))
        assert document["channels"] == [address]
        answer = solved(address, document["dependencies"], "linux-64")
    assert answer == {
        "python": "3.10.4 h1_0",
        "cudatoolkit": "11.2.2 h1_11",
        "tensorflow": "2.10.0 cuda112py310h1_0",
    }


def test_a_venv_becomes_requirements(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    env = tmp_path / "环境"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    site = next(iter([*env.glob("lib/python*/site-packages"), env / "Lib" / "site-packages"]))
    for name, version in (("foo", "1.0"), ("mine", "0.1")):
        folder = site / f"{name}-{version}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    (site / "mine-0.1.dist-info" / "direct_url.json").write_text(
        json.dumps({"url": "file:///src/mine", "dir_info": {"editable": True}})
    )
    words = ["export", "--env", str(env), "--no-hashes"]
    assert run([*words, "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["text"] == "foo==1.0\n"
    assert [one["id"] for one in answer["lost"]] == ["lost-editable"]
    out = tmp_path / "requirements.txt"
    assert run([*words, "--output", str(out), "--lang", "zh"]) == 1
    assert "以可编辑方式安装" in capsys.readouterr().err
    assert out.read_text() == "foo==1.0\n"
    assert run([*words, "--output", str(out)]) == 2
    assert run(["export", "--env", str(tmp_path / "none")]) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="a link that leads nowhere stands for the Python")
def test_an_environment_whose_python_is_gone_is_still_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    wheel(wheels, "thing", "1.0", {"thing.py": "NAME = 'thing'\n"})
    monkeypatch.setenv("UV_FIND_LINKS", str(wheels))
    monkeypatch.setenv("UV_OFFLINE", "1")
    env = tmp_path / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", env], check=True)
    subprocess.run(
        [find_uv_bin(), "pip", "install", "--python", env / "bin" / "python", "thing"],
        check=True,
        capture_output=True,
    )
    for program in (env / "bin").glob("python*"):
        program.unlink()
        program.symlink_to(tmp_path / "gone")
    assert run(["export", "--env", str(env)]) == 0
    told = capsys.readouterr().out
    assert told == "thing==1.0\n"  # a folder of wheels has no hashes to give


def test_requirements_leave_the_tools_out() -> None:
    found = content(PYTHON, dist("pip", "24.0"), dist("wheel", "0.4"), dist("foo", "1.0"))
    assert requirements_txt(found) == "foo==1.0\n"


def test_conda_s_file_of_a_venv_names_its_python() -> None:
    found = content(dist("foo", "1.0"), PYTHON)
    plain = Content((), found.pip, (), ())
    document = yaml.safe_load(environment_yml("x", plain, "3.10"))
    assert document["dependencies"] == ["python=3.10", "pip", {"pip": ["foo==1.0"]}]


def test_conda_s_older_packages_are_not_taken_for_pip_s() -> None:
    egg = f"{SITE}/six-1.16.0-py3.10.egg-info"
    found = content(
        PYTHON,
        record("six", "1.16.0", "py_0", files=[f"{egg.removeprefix(PREFIX + '/')}/PKG-INFO"]),
        {f"{egg}/PKG-INFO": "Name: six"},
        record("attrs", "23.1.0", "py_0"),  # a record without a list of files
        dist("attrs", "23.1.0") | {f"{SITE}/attrs-23.1.0.dist-info/INSTALLER": "conda\n"},
        dist("mine", "1.0") | {f"{SITE}/mine-1.0.dist-info/INSTALLER": "conda\n"},
    )
    assert [row.name for row in found.pip] == ["mine"]  # conda has no package of that name


def test_folders_that_only_lead_elsewhere_are_said() -> None:
    links = {
        f"{SITE}/old.egg-link": "/home/li/源码/old\n.\n",
        f"{SITE}/conda.pth": "/home/li/src/one\nimport sys\n/home/li/src/two\n",
    }
    found = content(PYTHON, links)
    assert [one.code for one in found.lost] == ["export.lost-develop"] * 3
    assert {one.params["where"] for one in found.lost} == {
        "/home/li/源码/old",
        "/home/li/src/one",
        "/home/li/src/two",
    }


def test_a_build_that_a_solver_avoids_keeps_its_name() -> None:
    rattler = pytest.importorskip("rattler")
    found = content(PYTHON, record("blas", "2.1", "openblas_3", track_features="blas_openblas"))
    [spec] = [one for one in yaml.safe_load(environment_yml("x", found))["dependencies"] if "blas" in one]
    assert spec == "blas ==2.1 openblas_3"
    assert str(rattler.MatchSpec(spec, strict=True).build) == "openblas_3"


def test_channels_that_differ_name_themselves() -> None:
    rattler = pytest.importorskip("rattler")
    found = content(
        PYTHON,
        CUDA,
        record("numpy", "1.26.4", "py310_0", "https://repo.example/pkgs/main/linux-64"),
        record("own", "1.0", "0", "https://li:secret@mirror.example/t/abc/team/linux-64"),
    )
    text = environment_yml("我的 环境: 1#", found)
    document = yaml.safe_load(text)
    assert document["name"] == "我的-环境-1-"  # conda refuses a space, a colon and a hash
    assert document["channels"][0] == "conda-forge"
    assert "defaults::numpy=1.26.4" in document["dependencies"]
    assert "https://mirror.example/team::own=1.0" in document["dependencies"]
    assert "secret" not in text
    assert all(rattler.MatchSpec(one, strict=True) for one in document["dependencies"])


def test_a_login_of_a_local_build_is_not_told() -> None:
    found = content(PYTHON, record("mine", "1", "0", "", url="https://li:secret@x.example/mine-1-0.conda"))
    assert "secret" not in str(found)


def test_windows_writes_its_names_in_another_case() -> None:
    from cuda_worlds import windows

    prefix = "C:\\Users\\li\\miniconda3\\envs\\训练"
    site = f"{prefix}\\lib\\site-packages"
    row = {"name": "six", "version": "1.16.0", "build": "0", "channel": "conda-forge",
           "files": ["Lib/site-packages/six-1.16.0.dist-info/METADATA"]}  # fmt: skip
    files = {
        f"{prefix}\\python.exe": "<pe64>",
        f"{prefix}\\conda-meta\\python-3.10.4-h1_0.json": '{"name": "python", "version": "3.10.4", "channel": "conda-forge"}',
        f"{prefix}\\conda-meta\\six-1.16.0-0.json": json.dumps(row),
        f"{site}\\six-1.16.0.dist-info\\METADATA": "",
    }
    world = windows({"files": files})
    environment = read_environment(world, prefix, ("folder",), ())
    assert environment is not None
    assert [one.name for one in environment.packages] == ["six"]
    assert read_content(world, environment).pip == ()
