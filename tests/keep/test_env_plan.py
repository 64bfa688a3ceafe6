"""What is wrong inside an environment, and what would mend it there, decided from described machines."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from cuda_worlds import linux, windows

sys.path.insert(0, str(Path(__file__).parents[1] / "setup"))
from made import alignment_of, build_of

from trueup.keep.envs.content import conda_records, inside, owners, read_content
from trueup.keep.envs.faults import read_faults
from trueup.keep.envs.mending import Plan, Row, Seen, Step, Target, plan
from trueup.keep.envs.repairing import conda_words
from trueup.machine.inventory.environments import read_environment
from trueup.plan.lock import Artifact, Lock, Locked
from trueup.plan.request import LockRequest
from trueup.plan.writers.order import Order
from trueup.report.say import say

if TYPE_CHECKING:
    from world import World

FORGE = "https://conda.example/conda-forge"
WIN = "C:\\Users\\李\\miniconda3\\envs\\深度学习"
WIN_SITE = f"{WIN}\\Lib\\site-packages"
LIN = "/home/li/miniconda3/envs/tf"
LIN_SITE = f"{LIN}/lib/python3.10/site-packages"


def record(
    prefix: str, name: str, version: str, build: str = "0", *files: str, **more: Any
) -> dict[str, str]:
    """Return conda's record of a package, with the files that are there."""
    place = "win-64" if "\\" in prefix else "linux-64"
    url = f"{FORGE}/{place}/{name}-{version}-{build}.conda"
    about = {
        "name": name,
        "version": version,
        "build": build,
        "channel": f"{FORGE}/{place}",
        "url": url,
        "md5": "aa",
    }
    sep = "\\" if "\\" in prefix else "/"
    path = sep.join((prefix, "conda-meta", f"{name}-{version}-{build}.json"))
    return {path: json.dumps({**about, "files": list(files), **more})}


def dist(site: str, name: str, version: str, *rows: str) -> dict[str, str]:
    sep = "\\" if "\\" in site else "/"
    info = sep.join((site, f"{name}-{version}.dist-info"))
    listed = "".join(f"{row},,\n" for row in rows)
    return {f"{info}{sep}METADATA": f"Name: {name}\nVersion: {version}\n", f"{info}{sep}RECORD": listed}


def seen(world: World, prefix: str) -> Seen:
    environment = read_environment(world, prefix, ("folder",), ())
    assert environment is not None
    content = read_content(world, environment)
    by_place = owners(conda_records(world, prefix)[0])
    rows = ((p.name, inside(world, prefix, p)) for p in environment.packages)
    owned = {name: by_place[row.lower()] for name, row in rows if row and row.lower() in by_place}
    return Seen(environment, content, read_faults(world, environment, content), owned)


def on_windows(*parts: dict[str, str]) -> Seen:
    files = {f"{WIN}\\python.exe": "<pe64>"} | record(WIN, "python", "3.10.4", "h1_0", "python.exe")
    for part in parts:
        files |= part
    return seen(windows({"files": files}), WIN)


def on_linux(*parts: dict[str, str]) -> Seen:
    files = {f"{LIN}/bin/python3": "\x7fELF"} | record(LIN, "python", "3.10.4", "h1_0", "bin/python3")
    for part in parts:
        files |= part
    return seen(linux(files, HOME="/home/li"), LIN)


def locked(name: str, version: str) -> Locked:
    file = f"{name}-{version}-py3-none-any.whl"
    return Locked(name, version, Artifact(file, f"https://files.example/{file}", "a" * 64, 1), ("a" * 64,))


def target(*packages: Locked, wheels: bool = True, alone: bool = True, hook: bool = True) -> Target:
    build = replace(build_of("tensorflow", "2.10.1", platform="windows", cuda="11.2"))
    question = LockRequest("3.10", "windows", "x86_64", None, ("tensorflow==2.10.1",), ())
    order = Order(alignment_of(build), question, Lock("", "", None, packages), {}, {})
    family = ("tensorflow", "tensorflow-gpu", "tensorflow-intel", "tensorflow-cpu")
    return Target("tensorflow", order, family, wheels=wheels, hook=hook, alone=alone)


def names(made: Plan) -> dict[str, tuple[str | None, str, str | None]]:
    return {row.name: (row.goes, row.by, row.comes) for row in made.rows}


def test_a_library_that_a_scanner_took_and_a_package_over_conda_s() -> None:
    here = on_windows(
        record(WIN, "cudnn", "8.1.0.77", "h1_0", "Library/bin/cudnn64_8.dll", "Library/include/cudnn.h"),
        record(WIN, "numpy", "1.24.4", "py_0", "Lib/site-packages/numpy/__init__.py"),
        dist(WIN_SITE, "numpy", "2.0.2", "numpy/__init__.py"),
        {
            f"{WIN_SITE}\\numpy\\__init__.py": "",
            f"{WIN_SITE}\\~umpy\\x.py": "",
            f"{WIN}\\Library\\bin\\zlib.dll": "",
        },
    )
    assert [one.name for one in here.faults.shadows] == ["numpy"]
    assert [(one.name, one.files) for one in here.faults.missing] == [
        ("cudnn", ("Library/bin/cudnn64_8.dll",))
    ]
    assert here.faults.leftovers == (f"{WIN_SITE}\\~umpy",)
    made = plan(here, None, frozenset({"numpy"}))
    assert names(made) == {
        f"{WIN_SITE}\\~umpy": ("", "rest", None),
        "numpy": ("2.0.2", "pip", "1.24.4"),
        "cudnn": ("8.1.0.77", "conda", "8.1.0.77"),
    }
    assert [step.act for step in made.steps] == ["remove", "pip-out", "conda-again"]
    assert made.steps[2].what == (
        f"{FORGE}/win-64/numpy-1.24.4-py_0.conda#aa",
        f"{FORGE}/win-64/cudnn-8.1.0.77-h1_0.conda#aa",
    )


def test_a_package_over_conda_s_that_breaks_nothing_stays_and_is_said() -> None:
    here = on_linux(record(LIN, "six", "1.16.0"), dist(LIN_SITE, "six", "1.17.0"))
    made = plan(here, None)
    assert (made.rows, made.steps) == ((), ())
    assert [one.code for one in made.stays] == ["repair.stays-shadow"]
    assert not here.faults


def test_documents_that_a_user_removed_are_no_fault() -> None:
    assert not on_linux(record(LIN, "zlib", "1.3", "h1_0", "share/man/zlib.3", "include/zlib.h")).faults


def test_an_unreadable_folder_is_not_taken_for_an_empty_one() -> None:
    files = {f"{LIN}/bin/python3": "x"} | record(LIN, "python", "3.10.4", "h1_0", "secret/lib.so")
    world = linux(files, HOME="/home/li")
    real = world.list_dir

    def closed(path: str) -> tuple[str, ...] | None:
        from trueup.machine.host import HostError
        from trueup.values import Message

        if path.endswith("/secret"):
            raise HostError(Message("machine.file-missing", {"path": path}))
        return real(path)

    world.list_dir = closed  # type: ignore[method-assign]
    assert not seen(world, LIN).faults.missing


def test_what_nothing_can_bring_again_is_said_and_hinders() -> None:
    direct = json.dumps({"url": "file:///home/li/mine-1.0.whl", "archive_info": {}})
    own = dist(LIN_SITE, "mine", "1.0", "mine/core.so") | {
        f"{LIN_SITE}/mine-1.0.dist-info/direct_url.json": direct
    }
    made = plan(
        on_linux(own, record(LIN, "built", "1.0", "0", "lib/built.so", url="", channel="local")), None
    )
    assert [one.code for one in made.hindered] == ["repair.no-address", "repair.no-address"]
    assert all(say(one, "en") != say(one, "zh_CN") for one in made.hindered)


def test_conda_s_build_for_the_processor_gives_way() -> None:
    here = on_windows(
        record(WIN, "tensorflow", "2.10.0", "mkl_py_0"),
        record(WIN, "tensorflow-base", "2.10.0", "mkl_py_0", "Lib/site-packages/tensorflow-2.10.0.dist-info/METADATA"),
        record(WIN, "tensorflow-datasets", "4.9.0", "py_0"),
        record(WIN, "numpy", "1.26.4", "py_0", "Lib/site-packages/numpy-1.26.4.dist-info/METADATA"),
        record(WIN, "six", "1.16.0", "py_0", "Lib/site-packages/six-1.16.0.dist-info/METADATA"),
        dist(WIN_SITE, "tensorflow", "2.10.0"), dist(WIN_SITE, "numpy", "1.26.4"), dist(WIN_SITE, "six", "1.16.0"),
        dist(WIN_SITE, "tensorflow-intel", "2.13.0"), dist(WIN_SITE, "nvidia-cublas-cu12", "12.1.3.1"),
    )  # fmt: skip
    wanted = (
        locked("tensorflow", "2.10.1"), locked("numpy", "1.23.5"), locked("six", "1.16.0"), locked("pip", "26.0"),
        locked("nvidia-cublas-cu11", "11.11.3.6"),
    )  # fmt: skip
    made = plan(here, target(*wanted))
    assert names(made) == {
        "tensorflow-intel": ("2.13.0", "pip", None),
        "nvidia-cublas-cu12": ("12.1.3.1", "pip", None),
        "tensorflow": ("2.10.0", "conda", "2.10.1"),
        "tensorflow-base": ("2.10.0", "conda", None),
        "numpy": ("1.26.4", "conda", "1.23.5"),
        "nvidia-cublas-cu11": (None, "", "11.11.3.6"),
    }
    acts = {step.act: step.what for step in made.steps}
    assert set(acts["conda-out"]) == {"tensorflow", "tensorflow-base", "numpy"}
    assert set(acts["pip-out"]) == {"tensorflow-intel", "nvidia-cublas-cu12"}
    assert acts["pip-in"] == ("tensorflow", "numpy", "nvidia-cublas-cu11")
    assert acts["hook"] == ()
    assert list(acts) == ["pip-out", "conda-out", "pip-in", "hook"]


def test_another_framework_keeps_its_wheels_and_conda_s_cuda_needs_none() -> None:
    wheels = dist(LIN_SITE, "nvidia-cublas-cu12", "12.1.3.1")
    wanted = (locked("tensorflow", "2.10.1"), locked("nvidia-cublas-cu11", "11.11.3.6"))
    shared = plan(on_linux(wheels), target(*wanted, alone=False))
    assert "nvidia-cublas-cu12" not in names(shared)
    by_conda = plan(on_linux(wheels), target(*wanted, wheels=False))
    assert set(names(by_conda)) == {"tensorflow"}


def test_what_is_there_already_is_not_installed_again() -> None:
    there = dist(LIN_SITE, "tensorflow", "2.10.1", "tensorflow/lib.so")
    whole = plan(
        on_linux(there, {f"{LIN_SITE}/tensorflow/lib.so": ""}),
        target(locked("tensorflow", "2.10.1"), hook=False),
    )
    assert whole.steps == ()
    damaged = plan(on_linux(there), target(locked("tensorflow", "2.10.1"), hook=False))
    assert damaged.steps == (Step("pip-in", ("tensorflow",)),)
    assert damaged.rows == (Row("tensorflow", "2.10.1", "pip", "2.10.1", "files.example"),)


def test_what_shares_a_file_with_what_goes_comes_anew() -> None:
    init = "tensorflow/__init__.py"
    here = on_linux(
        dist(LIN_SITE, "tensorflow", "2.10.1", init),
        dist(LIN_SITE, "tensorflow-cpu", "2.9.0", init),
        dist(LIN_SITE, "plugin", "1.0", "plugin.py", init),
        {f"{LIN_SITE}/{init}": "", f"{LIN_SITE}/plugin.py": ""},
    )
    assert here.faults.shared["tensorflow"] == {"tensorflow-cpu", "plugin"}
    made = plan(here, target(locked("tensorflow", "2.10.1"), hook=False))
    acts = {step.act: step.what for step in made.steps}
    assert acts == {
        "pip-out": ("tensorflow-cpu",),
        "pip-in": ("tensorflow",),
        "pip-again": ("plugin==1.0",),
    }
    assert list(acts) == ["pip-out", "pip-again", "pip-in"]


def test_the_requirements_carry_hashes_and_name_only_what_comes() -> None:
    made = target(locked("tensorflow", "2.10.1"), locked("numpy", "1.23.5"))
    text = made.requirements({"numpy"})
    assert "numpy==1.23.5" in text
    assert "--hash=sha256:" in text
    assert "tensorflow" not in text


@pytest.mark.parametrize(
    ("kind", "force"), [("conda", "--force-remove"), ("mamba", "--force"), ("micromamba", "--force")]
)
def test_the_words_of_each_program(kind: str, force: str) -> None:
    step = Step("conda-again", (f"{FORGE}/linux-64/lib-z-1.3-h1_0.conda#aa",))
    env = Path("env")
    assert conda_words(step, env, kind) == [
        ["remove", "--prefix", "env", "--yes", force, "lib-z"],
        ["install", "--prefix", "env", "--yes"],
    ]
    assert conda_words(Step("conda-out", ("numpy",)), env, kind) == [
        ["remove", "--prefix", "env", "--yes", force, "numpy"]
    ]
