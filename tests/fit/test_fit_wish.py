"""What was typed, understood or refused with the way out."""

from __future__ import annotations

import pytest
from fit_world import LINUX, WORLD, machine

from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.fit.versions import overlap, python_takes
from trueup.fit.wish import understand
from trueup.machine.describe import parse
from trueup.report.say import say
from trueup.values import TrueupError


def refused(*want: str, python: str | None = None) -> tuple[str, str]:
    with pytest.raises(TrueupError) as caught:
        understand(Wish(want, python=python), WORLD)
    assert caught.value.hint is not None
    return say(caught.value.message, "en"), say(caught.value.hint, "en")


def test_a_misspelt_framework_is_met_with_near_names() -> None:
    assert refused("tensorfow") == (
        "`tensorfow` is not a framework that trueup knows",
        "did you mean: tensorflow",
    )
    assert refused("pytroch")[1] == "did you mean: torch"
    assert refused("zzz")[1].startswith("trueup knows: tensorflow, torch. Other packages")


def test_nothing_asked() -> None:
    assert refused()[0] == "no framework was named"
    assert refused("python==3.9.*")[0] == "no framework was named"


def test_a_single_equals_sign_is_mended() -> None:
    assert refused("tensorflow=2.10") == (
        "`tensorflow=2.10` is not a requirement",
        "write it as `tensorflow==2.10`",
    )


def test_an_impossible_python() -> None:
    assert refused("tensorflow", python="three")[0] == "`three` is not a Python version"


@pytest.mark.parametrize(
    ("typed", "takes"),
    [("3.9", "3.9"), ("3.9.13", "3.9.13"), (">=3.9,<3.12", "3.9"), ("python3.9", "3.9"), ("==3.9.*", "3.9")],
)
def test_pythons(typed: str, takes: str) -> None:
    asked = understand(Wish(("tensorflow",), python=typed), WORLD)
    assert python_takes(asked.python, "3.9") == takes
    assert python_takes(asked.python, "3.8") is None


def test_python_beside_the_frameworks() -> None:
    assert understand(Wish(("tensorflow", "python==3.9.*"), python=">=3.8"), WORLD).python == ">=3.8,==3.9.*"


def test_names_settle_the_flavour() -> None:
    flavours = {text: understand(Wish((text,)), WORLD).asks[0].flavour for text in
                ("tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-directml-plugin")}  # fmt: skip
    assert list(flavours.values()) == [None, None, "cpu", "cpu", "directml"]


def test_the_flavour_of_a_local_version() -> None:
    ask = understand(Wish(("torch==2.5.1+cu118",)), WORLD).asks[0]
    assert (ask.specifier, ask.cuda) == ("==2.5.1", "11.8")
    assert understand(Wish(("torch==2.5.1+cpu",)), WORLD).asks[0].flavour == "cpu"
    assert understand(Wish(("torch[cuda12]",)), WORLD).asks[0].cuda == "12"


@pytest.mark.parametrize("text", ["torch==2.6.0+rocm6.2", "tensorflow[tpu]", "torch==2.7.0+xpu"])
def test_builds_for_other_hardware_are_refused(text: str) -> None:
    problem, way = refused(text)
    assert problem.startswith(f"`{text}` is a build for other hardware")
    assert "ask without it" in way


def test_an_old_way_to_name_cuda() -> None:
    assert understand(Wish(("torch==0.4.23+cuda12.cudnn89",)), WORLD).asks[0].cuda == "12"


def test_a_package_stands_for_its_framework() -> None:
    asked = understand(Wish(("tftext==2.10.*", "left-pad")), WORLD)
    assert [(ask.framework, ask.specifier) for ask in asked.asks] == [("tensorflow", "")]
    assert [str(other) for other in asked.others] == ["tftext==2.10.*", "left-pad"]
    assert asked.implied == (("tensorflow", "tftext"),)
    assert understand(Wish(("torch", "tftext")), WORLD).implied == ()
    assert refused("left-pad")[0] == "`left-pad` is not a framework that trueup knows"


@pytest.mark.parametrize(
    ("want", "told"),
    [
        (("tftext==2.10.*",), None),
        (("tftext==2.11",), "tftext==2.11"),
        (("tensorflow", "TFText>=2.10", "tftext<2.5"), "tftext>=2.10,<2.5"),
        (("tensorflow", "left-pad==9"), None),  # nothing of it is known
    ],
)
def test_a_release_that_nobody_knows_is_told(want: tuple[str, ...], told: str | None) -> None:
    solution = solve(Wish(want), parse(machine(LINUX)), WORLD)
    notes = [note.params for note in solution.notes if note.code == "fit.note-no-release"]
    assert notes == ([{"package": "tftext", "asked": told, "newest": "2.20.0"}] if told else [])


def test_the_plugin_beside_its_framework_is_one_wish() -> None:
    asked = understand(Wish(("tensorflow-cpu==2.10.0", "tensorflow-directml-plugin")), WORLD)
    assert [(ask.framework, ask.flavour, ask.specifier) for ask in asked.asks] == [
        ("tensorflow", "directml", "==2.10.0")
    ]


def test_aliases() -> None:
    assert understand(Wish(("PyTorch",)), WORLD).asks[0].framework == "torch"


def test_other_packages_are_kept() -> None:
    assert [str(o) for o in understand(Wish(("tensorflow", "numpy>=2")), WORLD).others] == ["numpy>=2"]


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("<2", ">=2", False),
        ("<2", ">=1.22", True),
        (">=9.3.0.75,<9.11", "==9.10.2.21", True),
        ("==9.3.*", "==9.10.2.21", False),
        ("==9.1.0.70", "==9.1.0.70", True),
        (">1.0,<1.1", "==1.0.5", True),
        ("~=1.4.2", ">=1.5", False),
        ("!=1.5", "==1.5", False),
        ("", ">=2", True),
        ("<3.21", ">=3.20.3", True),
    ],
)
def test_overlap_of_specifiers(one: str, other: str, both: bool) -> None:
    assert overlap(one, other) is both
    assert overlap(other, one) is both
