"""What is wrong with global toolkits, as steps beside those of a check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from cuda_worlds import CUDA, PARTS8, PARTS9, toolkit, windows

from trueup.diagnose.mend.toolkits import toolkit_steps
from trueup.facts import load
from trueup.keep.cuda.examined import examined
from trueup.keep.cuda.model import Scene
from trueup.machine.inventory.model import Environment, FrameworkBuild
from trueup.machine.model import Gpu, Python
from trueup.machine.survey import read_survey
from trueup.report.doctor import finding_text
from trueup.report.say import LANGUAGES, say
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from world import World

    from trueup.diagnose.mend.model import Mend

ROOT = f"{CUDA}\\v11.8"
ON_PATH = (f"{ROOT}\\bin",)
DOWNLOADS = "C:\\Users\\li\\Downloads"
SITE = "C:\\v\\Lib\\site-packages"
BUILD = FrameworkBuild("tensorflow", "tensorflow", "2.10.1", "11.2", "8", SITE)
ENV = Environment(
    "C:\\v", "venv", Python("3.10.11", path="C:\\v\\python.exe"), (SITE,), (), (), builds=(BUILD,)
)


def steps(world: World, *environments: Environment) -> dict[str, Mend]:
    survey = read_survey(world)
    card = Gpu("NVIDIA GeForce RTX 3060", "8.6", 12288, "nvidia")
    machine = replace(survey.machine, driver="536.67", gpus=(card,))
    survey = replace(survey, machine=machine, environments=environments)
    assert not isinstance(survey.cuda, Unknown)
    scene = Scene(world, load(), survey.cuda, environments)
    found = toolkit_steps(world, load(), survey, examined(scene, None))
    for step in found:
        assert bool(step.argv) != bool(step.why)
        for lang in LANGUAGES:
            assert finding_text(step, lang)
            assert step.why is None or say(Message(step.why), lang)
    return {step.finding.id: step for step in found if step.finding}


def mixed(**files: str) -> World:
    """Return a PC whose cuDNN somebody mixed of two releases, and what lies among the downloads."""
    bad = toolkit()
    bad["versions"][f"{ROOT}\\bin\\cudnn_cnn_infer64_8.dll"] = "8.1.0.77"
    bad["files"] |= {f"{DOWNLOADS}\\{name}": text for name, text in files.items()}
    return windows(bad, path=ON_PATH)


def archive(version: str, line: int, system: str = "windows", suffix: str = "zip") -> str:
    return f"cudnn-{system}-x86_64-{version}_cuda{line}-archive.{suffix}"


def test_a_whole_toolkit_needs_no_step() -> None:
    assert steps(windows(toolkit(), path=ON_PATH)) == {}


def test_without_an_archive_the_user_is_told_what_to_get() -> None:
    step = steps(mixed())["toolkit-cudnn-mixed"]
    assert step.argv == ()
    assert step.why == "doctor.why-archive"
    assert step.finding is not None
    assert "add-cudnn ARCHIVE" in say(step.finding.remedies[0].text, "en")


def test_the_newest_archive_that_fits_is_taken_from_the_downloads() -> None:
    names = [archive("8.9.7.29", 11), archive("8.6.0.163", 11), archive("9.1.0.70", 12), archive("8.9.9.1", 11, "linux", "tar.xz")]  # fmt: skip
    step = steps(mixed(**dict.fromkeys(names, "zip")))["toolkit-cudnn-mixed"]
    assert step.argv == ("cuda", "add-cudnn", f"{DOWNLOADS}\\{names[0]}", "--to", ROOT)


@pytest.mark.parametrize("name", [archive("9.1.0.70", 12), "cudnn.zip", archive("8.9.7.29", 11) + ".part", "cudnn-windows-x86_64-x_cuda11.zip"])  # fmt: skip
def test_any_other_file_is_left_where_it_is(name: str) -> None:
    assert steps(mixed(**{name: "zip"}))["toolkit-cudnn-mixed"].argv == ()


def test_an_environment_that_lacks_its_cudnn_is_served_by_itself() -> None:
    world = windows(toolkit(cudnn="9.1.0.70", parts=PARTS9), path=ON_PATH)
    assert steps(world, ENV)["toolkit-cudnn-other-major"].argv == ("cuda", "use", "11.8", "--env", "C:\\v")
    shared = steps(world, replace(ENV, kind="installed"))["toolkit-cudnn-other-major"]
    assert (shared.argv, shared.why) == ((), "doctor.why-archive")


def test_for_another_major_an_archive_of_that_major_is_taken() -> None:
    bad = toolkit(cudnn="9.1.0.70", parts=PARTS9)
    names = [archive("9.2.0.82", 11), archive("8.9.7.29", 11)]
    bad["files"] |= {f"{DOWNLOADS}\\{name}": "zip" for name in names}
    step = steps(windows(bad, path=ON_PATH), replace(ENV, kind="installed"))["toolkit-cudnn-other-major"]
    assert step.argv[2].endswith(names[1])


FAULTS: dict[str, tuple[Any, dict[str, str], str]] = {
    "toolkit-variable-parent": (toolkit(), {"CUDA_PATH": CUDA}, "variable"),
    "toolkit-variable-missing": (toolkit(), {"CUDA_PATH": "D:\\gone"}, "variable"),
    "toolkit-variable-inside": (toolkit(), {"CUDA_PATH": f"{ROOT}\\bin"}, "variable"),
    "toolkit-cudnn-incomplete": (toolkit(parts=PARTS8[:2]), {}, "archive"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_belongs_to_all_programs_is_left_to_the_user_with_its_command(name: str) -> None:
    made, env, why = FAULTS[name]
    step = steps(windows(made, path=ON_PATH, **env))[name]
    assert step.why == f"doctor.why-{why}"
    assert step.finding is not None
    assert why != "variable" or (step.finding.remedies[0].command or "").startswith("[Environment]")
