"""A toolkit for one environment: framework, line, driver and cuDNN must fit; only the environment is written to."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from cuda_worlds import toolkit, windows

from trueup.facts import load
from trueup.keep.cuda.use import Choice, changes_for, choose
from trueup.machine.host import this_host
from trueup.machine.inventory.environments import chosen_folders
from trueup.machine.inventory.model import Environment, FrameworkBuild, Package
from trueup.machine.model import Python
from trueup.machine.survey import read_survey
from trueup.setup import hook
from trueup.setup.changes import Store
from trueup.values import TrueupError, Unknown

if TYPE_CHECKING:
    from pathlib import Path

    from world import World

ROOT = "C:\\Program Files\\NVIDIA GPU Computing Toolkit\\CUDA\\v11.8"
SITE = "C:\\v\\Lib\\site-packages"


def env(
    *packages: Package, cuda: str | None = "11.2", cudnn: str = "8", name: str = "tensorflow"
) -> Environment:
    build = FrameworkBuild(name, name, "2.10.1", cuda, cudnn, SITE)
    return Environment("C:\\v", "venv", Python("3.10.11"), (SITE,), packages, ("folder",), builds=(build,))


def pick(world: World, environment: Environment, asked: str = "11.8", driver: Any = "536.67") -> Choice:
    survey = read_survey(world)
    survey = replace(survey, machine=replace(survey.machine, driver=driver))
    return choose(world, load(), survey, environment, asked)


def refused(*args: Any, **more: Any) -> str:
    with pytest.raises(TrueupError) as caught:
        pick(*args, **more)
    assert caught.value.hint is not None
    return caught.value.message.code.removeprefix("cuda.use-")


def test_a_toolkit_that_fits_is_taken() -> None:
    assert pick(windows(toolkit()), env()).folders == (f"{ROOT}\\bin",)


def test_wheels_of_that_release_are_preferred() -> None:
    wheel = Package("nvidia-cuda-runtime-cu11", "11.8.89", SITE)
    assert pick(windows(toolkit()), env(wheel)).folders == ()


@pytest.mark.parametrize(
    ("environment", "asked", "why"),
    [
        (env(), "11", "version"),
        (env(), "11.0", "line"),
        (env(), "12.4", "line"),
        (env(cuda=None), "11.8", "no-framework"),
        (env(name="torch"), "11.8", "no-framework"),
        (env(), "11.7", "not-here"),
        (env(cudnn="9"), "11.8", "no-cudnn"),
        (env(cudnn="8.9.9"), "11.8", None),
        (env(cudnn="8.10"), "11.8", "old-cudnn"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_way_out(
    environment: Environment, asked: str, why: str | None
) -> None:
    world = windows(toolkit())
    if why is None:
        assert pick(world, environment, asked).folders
    else:
        assert refused(world, environment, asked) == why


def test_the_driver_counts() -> None:
    world = windows(toolkit())
    assert refused(world, env(), driver="411.31") == "old-driver"
    assert refused(world, env(), driver=None) == "no-driver"
    [note] = pick(world, env(), driver=Unknown(hookless())).notes
    assert note.code == "cuda.use-driver-unknown"


def hookless() -> Any:
    from trueup.values import Message

    return Message("machine.not-read")


def test_a_toolkit_without_cudnn_or_in_part() -> None:
    assert refused(windows(toolkit(cudnn=None)), env()) == "no-cudnn"
    part = toolkit()
    part["files"] = {path: text for path, text in part["files"].items() if "cublas" not in path}
    part["versions"] = {path: text for path, text in part["versions"].items() if "cublas" not in path}
    assert refused(windows(part), env()) == "half-toolkit"


@pytest.mark.skipif(sys.platform == "win32", reason="Linux' folders")
def test_only_the_environment_is_written_to_and_undo_is_exact(tmp_path: Path) -> None:
    place, libraries = tmp_path / "环境", tmp_path / "lib64"
    libraries.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    before = {path: path.is_file() and path.read_bytes() for path in place.rglob("*")}
    store = Store(tmp_path / "journal")
    environment = Environment(str(place), "venv", Python("3.11"), (), (), ("folder",))
    choice = Choice(environment, "12.4", (str(libraries),))
    with store.begin("test") as transaction:
        for change in changes_for(choice, store):
            transaction.apply(change)
    assert chosen_folders(this_host(), str(place)) == (str(libraries),)
    assert next(place.glob("lib/python*/site-packages/trueup.pth")).is_file()
    assert changes_for(choice, store) == ()
    assert [one.result for one in store.undo(store.records()[0])] == ["restored"] * 4
    assert {path: path.is_file() and path.read_bytes() for path in place.rglob("*")} == before
    assert not (place / hook.CHOSEN).exists()
