"""Interpreters by what installers leave behind."""

from __future__ import annotations

from typing import Any

from world import World

from trueup.machine.model import Python
from trueup.machine.pythons import read_pythons
from trueup.machine.pythons.windows import python_version

HOME = "C:\\Users\\user"
LOCAL = HOME + "\\AppData\\Local"
APPS = LOCAL + "\\Microsoft\\WindowsApps"
ENV = {"USERPROFILE": HOME, "LOCALAPPDATA": LOCAL, "APPDATA": HOME + "\\AppData\\Roaming", "PATH": APPS}


def tag(root: str, name: str, folder: str, **values: str) -> dict[str, Any]:
    return {f"{root}\\{name}": values, f"{root}\\{name}\\InstallPath": {"": folder}}


def windows(**more: Any) -> World:
    return World({"platform": "windows", "env": ENV, **more})


def found(world: World) -> list[tuple[str, int, str]]:
    return [(python.version, python.bits, python.kind) for python in read_pythons(world).pythons]


def test_registered_pythons_of_both_word_sizes() -> None:
    core = "HKCU\\SOFTWARE\\Python\\PythonCore"
    registry = tag(core, "3.10", "C:\\P310\\", Version="3.10.11", SysArchitecture="64bit")
    registry |= tag(core, "3.9-32", "C:\\P39\\", SysVersion="3.9")
    registry |= tag("HKLM\\SOFTWARE\\Python\\PythonCore", "3.8", "C:\\gone\\", Version="3.8.10")
    files = {"C:\\P310\\python.exe": "<pe64>", "C:\\P39\\python.exe": "<pe32>"}
    assert found(windows(registry=registry, files=files)) == [
        ("3.10.11", 64, "python.org"),
        ("3.9", 32, "python.org"),
    ]


def test_a_store_python_and_a_stub_are_told_apart() -> None:
    stubs = {f"{APPS}\\python.exe": "", f"{APPS}\\python3.exe": ""}
    only_stubs = read_pythons(windows(files=stubs))
    assert only_stubs.pythons == ()
    assert only_stubs.stubs == (f"{APPS}\\python.exe", f"{APPS}\\python3.exe")

    store = f"{APPS}\\PythonSoftwareFoundation.Python.3.11_qbz5n2kfra8p0\\python.exe"
    real = read_pythons(windows(files={**stubs, store: ""}))
    assert [(python.version, python.kind) for python in real.pythons] == [("3.11", "store")]
    assert real.stubs == ()


def test_pyenv_uv_and_conda_folders() -> None:
    files = {
        f"{HOME}\\.pyenv\\pyenv-win\\versions\\3.9.13\\python.exe": "<pe64>",
        f"{HOME}\\AppData\\Roaming\\uv\\python\\cpython-3.12.4-windows-x86_64-none\\python.exe": "<pe64>",
        f"{HOME}\\miniconda3\\conda-meta\\python-3.11.9-h631f459_0_cpython.json": "{}",
        f"{HOME}\\miniconda3\\python.exe": "<pe64>",
    }
    assert found(windows(files=files)) == [
        ("3.9.13", 64, "pyenv"),
        ("3.12.4", 64, "uv"),
        ("3.11.9", 64, "conda"),
    ]


def test_a_python_on_path_tells_its_version_by_its_resource() -> None:
    files = {"C:\\tools\\python.exe": "<pe64>"}
    world = World(
        {
            "platform": "windows",
            "env": {**ENV, "PATH": 'C:\\none;"C:\\tools"'},
            "files": files,
            "versions": {"C:\\tools\\python.exe": "3.7.9150.1013"},
        }
    )
    assert read_pythons(world).pythons == (Python("3.7.9", 64, "C:\\tools\\python.exe", "path"),)
    assert python_version(world, "C:\\nowhere.exe") is None


def test_the_interpreter_of_an_active_environment_is_not_an_installed_one() -> None:
    env = {**ENV, "PATH": "C:\\e\\Scripts"}
    files = {"C:\\e\\Scripts\\python.exe": "<pe64>", "C:\\e\\pyvenv.cfg": "home = C:\\P310\n"}
    versions = {"C:\\e\\Scripts\\python.exe": "3.10.11150.1013"}
    assert (
        read_pythons(World({"platform": "windows", "env": env, "files": files, "versions": versions})).pythons
        == ()
    )


def test_linux_asks_each_real_file_once() -> None:
    files = {
        "/usr/bin/python3": "",
        "/usr/bin/python3.11": "",
        "/usr/bin/python3-config": "",
        "/home/u/.pyenv/versions/3.9.18/bin/python3": "",
    }
    world = World(
        {
            "platform": "linux",
            "env": {"PATH": "/usr/bin:/bin", "HOME": "/home/u"},
            "files": files,
            "links": {"/usr/bin/python3": "/usr/bin/python3.11"},
            "runs": {"/usr/bin/python3.11 -V": {"code": 0, "out": "Python 3.11.2\n"}},
        }
    )
    assert found(world) == [("3.9.18", 64, "pyenv"), ("3.11.2", 64, "system")]
