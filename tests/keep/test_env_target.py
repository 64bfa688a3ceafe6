"""What an environment of a described machine would be given: the same Python, the release where it fits, the card used."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from trueup.fit.model import Alignment

sys.path.insert(0, str(Path(__file__).parents[1] / "machine"))
from world import BASES, World, load

from trueup.cli import env_target
from trueup.cli.env_look import look_at, planned
from trueup.cli.session import Session
from trueup.keep.envs.mending import download
from trueup.plan.lock import Artifact, Lock, Locked
from trueup.report.env_repair import as_data, look_text, plan_text
from trueup.report.say import say

MACHINES = Path(__file__).parents[1] / "check" / "machines"
NAMES = sorted(path.name for path in MACHINES.iterdir())
TF = "C:\\Users\\user\\miniconda3\\envs\\tf"


def of_text(text: str) -> World:
    """Return the world of a machine that is a base's with the text's own parts."""
    own = json.loads(text)
    base = json.loads((BASES / f"{own.pop('base')}.json").read_text("utf-8"))
    return World({**base, **{key: {**base.get(key, {}), **value} for key, value in own.items()}})


@pytest.fixture(autouse=True)
def _no_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lock what an alignment names, without asking an index."""

    def locked(_session: object, _looked: object, chosen: Alignment) -> Lock:
        rows = []
        for name, version in chosen.packages:
            file = f"{name}-{version}-py3-none-any.whl"
            address = f"https://files.example/{file}"
            rows.append(Locked(name, version, Artifact(file, address, "a" * 64, 1), ("a" * 64,)))
        return Lock("", "", None, tuple(rows))

    monkeypatch.setattr(env_target, "_locked", locked)


def test_conda_s_build_for_the_processor_is_replaced_and_its_release_kept() -> None:
    world = load(MACHINES / "conda-cpu-build--windows-mkl" / "machine.json")
    looked = look_at(world, TF, local=False)
    assert looked is not None
    assert [f.id for f in looked.fixable] == ["conda-cpu-build"]
    made, target = planned(Session("en"), looked)
    assert target is not None
    assert (target.wheels, target.hook, target.alone) == (True, True, True)
    rows = {row.name: (row.goes, row.by, row.comes) for row in made.rows}
    assert rows["tensorflow"] == ("2.10.0", "pip", "2.10.0")  # conda's record names no files here
    assert rows["tensorflow-base"] == ("2.10.0", "conda", None)
    assert any(name.startswith("nvidia-cudnn") for name in rows)
    assert not made.hindered


def test_another_python_is_another_environment() -> None:
    text = (MACHINES / "conda-cpu-build--windows-mkl" / "machine.json").read_text("utf-8")
    world = of_text(text.replace("python-3.10.13", "python-3.12.1").replace("310h", "312h"))
    looked = look_at(world, TF, local=False)
    assert looked is not None
    made, target = planned(Session("en"), looked)
    assert target is None
    [why] = made.hindered
    assert why.code == "repair.other-python"
    assert why.params["command"] == f"trueup up tensorflow --installer conda --env {TF}-new"
    assert str(why.params["other"]).startswith("3.")
    assert say(why, "en") != say(why, "zh_CN")


@pytest.mark.parametrize("name", NAMES)
def test_every_described_environment_has_an_answer_in_both_languages(name: str) -> None:
    world = load(MACHINES / name / "machine.json")
    survey = look_at(world, "/nowhere", local=False)
    assert survey is None
    from trueup.machine.survey import read_survey

    found = read_survey(world, env_dir=None).environments
    for one in found if isinstance(found, tuple) else ():
        looked = look_at(world, one.path, local=False)
        assert looked is not None
        made, target = planned(Session("en"), looked)
        if looked.fixable and not made.steps:
            assert made.hindered, [f.id for f in looked.fixable]
        if target is not None:
            assert target.packages
        for lang in ("en", "zh_CN"):
            text = look_text(looked, lang) + plan_text(
                looked, made, None, (None, download(made, target)), lang
            )
            assert one.path in text
            as_data("planned", looked, lang, (made, None))
