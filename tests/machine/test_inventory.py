"""Packages, builds and CUDA copies from files."""

from __future__ import annotations

from pathlib import Path

import pytest
from world import World, load

from trueup.machine.environment import kept
from trueup.machine.host.decode import decode
from trueup.machine.inventory.builds import cuda_version, tensorflow_cuda
from trueup.machine.inventory.cuda import read_cuda
from trueup.machine.inventory.environments import read_environments
from trueup.machine.inventory.packages import leftovers, read_packages, strays
from trueup.machine.inventory.programs import pip_python
from trueup.machine.inventory.settings import page_file

MACHINES = Path(__file__).parent.parent / "check" / "machines"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("64_112", "11.2"),
        ("64_110", "11.0"),
        ("64_100", "10.0"),
        ("12.5.1", "12.5"),
        ("11.2", "11.2"),
        ("64_12", "12"),
    ],
)
def test_windows_build_strings_are_no_big_numbers(text: str, version: str) -> None:
    assert cuda_version(text) == version


def test_build_info_in_all_its_shapes() -> None:
    assert tensorflow_cuda(
        "OrderedDict([('cuda_version', '64_112'), ('cudnn_version', '64_8'), ('is_cuda_build', True)])"
    ) == ("11.2", "8")
    assert tensorflow_cuda(
        'build_info = {"is_cuda_build": True, "cuda_version": "12.5.1", "cudnn_version": "9"}'
    ) == ("12.5", "9")
    assert tensorflow_cuda("OrderedDict([('is_cuda_build', False), ('cuda_version', '64_112')])") == (
        None,
        None,
    )


def test_distributions_rests_and_strays() -> None:
    names = [
        "tensorflow_gpu-2.10.1.dist-info",
        "Keras-2.10.0-py3.9.egg-info",
        "~ensorflow-2.9.0.dist-info",
        "~ensorflow",
        "torch",
        "tensorflow",
    ]
    packages = read_packages(names, "/s")
    assert [(one.name, one.version) for one in packages] == [
        ("tensorflow-gpu", "2.10.1"),
        ("keras", "2.10.0"),
    ]
    assert leftovers(names) == ("~ensorflow-2.9.0.dist-info", "~ensorflow")
    assert strays(names, packages, ()) == ("torch",)


def test_copies_stand_in_the_order_of_the_search() -> None:
    copies = read_cuda(load(MACHINES / "cudnn-shadowed-by-another-copy--windows-80-first" / "machine.json"))
    cudnn = [copy for copy in copies if copy.kind == "cudnn"]
    assert [copy.version for copy in cudnn] == ["8.0.5", "8.1.1"]
    assert cudnn[0].path.startswith("C:\\tools")
    runtime = next(copy for copy in copies if copy.kind == "runtime")
    assert (runtime.version, runtime.origin) == ("11.2", "toolkit")


def test_linux_copies_by_their_longest_name() -> None:
    files = {
        "/etc/ld.so.conf.d/cuda.conf": "# comment\n/opt/cuda/lib64\n",
        "/opt/cuda/lib64/libcudart.so.11.0": "",
        "/opt/cuda/lib64/libcudart.so.11.8.89": "",
        "/opt/cuda/lib64/libcudnn.so.8.9.5": "",
        "/usr/local/cuda-11.8/version.json": '{"cuda": {"name": "CUDA SDK", "version": "11.8.0"}}',
    }
    copies = read_cuda(World({"platform": "linux", "env": {}, "files": files}))
    assert [(copy.kind, copy.version, copy.order is not None) for copy in copies] == [
        ("runtime", "11.8.89", True),
        ("cudnn", "8.9.5", True),
        ("toolkit", "11.8.0", False),
    ]


def test_old_toolkits_and_a_folder_that_is_none() -> None:
    files = {"/usr/local/cuda-9.0/version.txt": "CUDA Version 9.0.176\n", "/usr/local/cuda-8.0/readme": ""}
    (copy,) = read_cuda(World({"platform": "linux", "env": {}, "files": files}))
    assert copy.version == "9.0.176"


@pytest.mark.parametrize(
    ("head", "python"),
    [
        ("#!/home/u/.venv/bin/python\nimport sys\n", "/home/u/.venv/bin/python"),
        ("#!/usr/bin/python3 -s\n", "/usr/bin/python3"),
        (
            '#!/bin/sh\n\'\'\'exec\' "/home/u/a long way/bin/python" "$0" "$@"\n',
            "/home/u/a long way/bin/python",
        ),
    ],
)
def test_which_python_a_pip_belongs_to(head: str, python: str) -> None:
    assert pip_python(World({"platform": "linux", "env": {}, "files": {"/pip": head}}), "/pip") == python


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (("?:\\pagefile.sys",), "automatic"),
        (("C:\\pagefile.sys 0 0",), "automatic"),
        (("C:\\pagefile.sys 1024 2048",), "C:\\pagefile.sys 1024 2048"),
        ((), "none"),
    ],
)
def test_page_files(value: tuple[str, ...], told: str) -> None:
    assert page_file(value) == told


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("WSL 版本: 2.0\r\n".encode("utf-16-le"), "WSL 版本: 2.0\n"),
        ("\ufeffa b".encode("utf-16-le"), "a b"),
        ("\ufeffä\r\n".encode(), "ä\n"),
        (b"plain\n", "plain\n"),
    ],
)
def test_foreign_bytes(data: bytes, text: str) -> None:
    assert decode(data).lstrip("\ufeff") == text


def test_a_recording_keeps_no_stranger_s_variables() -> None:
    assert kept("CUDA_VISIBLE_DEVICES")
    assert kept("Path")
    assert not kept("TF_VAR_db_password")
    assert not kept("AWS_SECRET_ACCESS_KEY")
    assert not kept("HF_TOKEN")
    assert not kept("NVIDIA_API_KEY")


def test_environments_of_a_project_s_tools() -> None:
    pixi = "/p/.pixi/envs/default"
    files = {
        f"{pixi}/conda-meta/python-3.11.9-h955ad1f_0.json": "{}",
        f"{pixi}/bin/python3": "",
        "/p/.vscode/settings.json": '{ // a comment\n "python.defaultInterpreterPath": "${workspaceFolder}/e/bin/python" }',
        "/p/e/pyvenv.cfg": "home = /usr/bin\nversion_info = 3.9.18\n",
        "/p/e/bin/python": "",
    }
    found = read_environments(World({"platform": "linux", "env": {}, "files": files}), "/p/.venv", ())
    assert [(one.path, one.found_by, one.python.version) for one in found] == [
        (pixi, ("pixi",), "3.11.9"),
        ("/p/e", ("editor",), "3.9.18"),
    ]
