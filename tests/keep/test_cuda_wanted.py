"""Which wheels a framework needs for a line: by the tables and by its own metadata; else refused with a way out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from cuda_wheelhouse import survey, tf
from cuda_worlds import linux

from trueup.facts import load
from trueup.keep.cuda.wanted import own_line, toolkit_lines, wanted
from trueup.machine.inventory.builds import read_builds
from trueup.machine.inventory.model import Environment, FrameworkBuild, Package
from trueup.machine.model import Gpu, Python
from trueup.report.say import LANGUAGES, say
from trueup.values import TrueupError

if TYPE_CHECKING:
    from trueup.keep.cuda.wanted import Wanted

SITE = "/v/lib/python3.10/site-packages"
AND_CUDA = (
    'nvidia-cuda-runtime-cu12==12.3.101; extra == "and-cuda"',
    'nvidia-cublas-cu12==12.3.4.1; extra == "and-cuda"',
    'nvidia-cudnn-cu12==8.9.7.29; extra == "and-cuda"',
    'nvidia-nccl-cu12==2.19.3; extra == "and-cuda"',
    "numpy<2",
)
TORCH = (
    'nvidia-cuda-runtime-cu12==12.4.127; platform_system == "Linux" and platform_machine == "x86_64"',
    'nvidia-cudnn-cu12==9.1.0.70; platform_system == "Linux" and platform_machine == "x86_64"',
    "sympy",
)
ORT = (
    'nvidia-cuda-nvrtc-cu12~=12.0; extra == "cuda"', 'nvidia-cuda-runtime-cu12~=12.0; extra == "cuda"',
    'nvidia-cufft-cu12~=11.0; extra == "cuda"', 'nvidia-cudnn-cu12~=9.0; extra == "cudnn"',
)  # fmt: skip
JAX = """Name: jax-cuda12-plugin
Requires-Dist: nvidia-cublas-cu12>=12.1.3.1; extra == "with-cuda"
Requires-Dist: nvidia-cudnn-cu12<10.0,>=9.1; extra == "with-cuda"

Text
"""


def env(*builds: FrameworkBuild, **other: Any) -> Environment:
    return replace(
        Environment("/v", "venv", Python("3.10.13", path="/v/bin/python"), (SITE,), (), (), builds=builds),
        **other,
    )


def build(
    framework: str, version: str, cuda: str | None, requires: tuple[str, ...] = (), **other: Any
) -> Any:
    names = {"onnxruntime": "onnxruntime-gpu", "paddlepaddle": "paddlepaddle-gpu"}
    name = names.get(framework, framework)
    return replace(FrameworkBuild(framework, name, version, cuda, None, SITE, requires), **other)


def asked(environment: Environment, line: str, **machine: Any) -> Wanted:
    return wanted(load(), survey(**machine), environment, line)


def test_a_set_of_the_tables_is_taken_as_it_is() -> None:
    found = asked(env(tf()), "11.8")
    assert "nvidia-cudnn-cu11==8.7.0.84" in found.requirements
    assert not found.constraints
    assert found.hook
    for lang in LANGUAGES:
        assert "11.8" in say(found.why[0], lang)


def test_windows_takes_the_set_that_was_read_for_windows() -> None:
    old = tf(version="2.10.1", cuda="11.2")
    assert "nvidia-cudnn-cu11==8.9.5.29" in asked(env(old), "11.8", os="windows").requirements


def test_the_frameworks_own_extra_is_taken_as_it_is() -> None:
    found = asked(env(tf(version="2.17.1", cuda="12.3", requires=AND_CUDA)), "12.3")
    assert "nvidia-nccl-cu12==2.19.3" in found.requirements
    assert "numpy<2" not in found.requirements


def test_another_line_of_the_same_major_follows_nvidias_own_list() -> None:
    found = asked(env(tf(version="2.17.1", cuda="12.3", requires=AND_CUDA)), "12.4")
    [toolkit, *others] = found.requirements
    assert toolkit.startswith("cuda-toolkit[")
    assert toolkit.endswith("==12.4.*")
    assert {"cublas", "cudart", "nvjitlink"} <= set(toolkit.partition("[")[2].partition("]")[0].split(","))
    assert set(others) == {"nvidia-cudnn-cu12==8.9.7.29", "nvidia-nccl-cu12==2.19.3"}


def test_ranges_of_a_framework_stay_conditions() -> None:
    found = asked(env(build("onnxruntime", "1.23.2", "12.2", ORT)), "12.6")
    assert found.requirements[0].startswith("cuda-toolkit[cublas,cudart,cufft,nvjitlink,nvrtc]==12.6")
    assert "nvidia-cufft-cu12~=11.0" in found.constraints
    assert "nvidia-cudnn-cu12~=9.0" in found.requirements
    assert found.hook


def test_jax_is_asked_by_its_plugin_and_needs_no_hook() -> None:
    plugin = Package("jax-cuda12-plugin", "0.5.3", SITE, "jax_cuda12_plugin-0.5.3.dist-info")
    lib = Package("jaxlib", "0.5.3", SITE, "jaxlib-0.5.3.dist-info")
    [jax] = read_builds(linux({f"{SITE}/{plugin.folder}/METADATA": JAX}), (lib, plugin))
    found = asked(env(jax, packages=(plugin,)), "12.4")
    assert "nvidia-cudnn-cu12<10.0,>=9.1" in found.requirements
    assert found.constraints == ("nvidia-cublas-cu12>=12.1.3.1",)
    assert not found.hook


def test_wheels_that_torch_asks_for_can_be_brought_back() -> None:
    found = asked(env(build("torch", "2.6.0+cu124", "12.4", TORCH)), "12.4")
    assert found.requirements == ("nvidia-cuda-runtime-cu12==12.4.127", "nvidia-cudnn-cu12==9.1.0.70")


def test_paddle_takes_the_set_of_the_tables() -> None:
    found = asked(env(build("paddlepaddle", "2.6.2", "11.8")), "11.8")
    assert "nvidia-cudnn-cu11==8.6.0.163" in found.requirements
    assert not found.hook


OLD = tf(version="2.10.1", cuda="11.2")
KEPLER = (Gpu("NVIDIA GeForce GTX 780", "3.5", 3072, "nvidia"),)
REFUSED = [
    (env(OLD), "12.4", {"os": "windows"}, "line"),
    (env(OLD), "11.1", {"os": "windows"}, "line"),
    (env(OLD), "11.7", {"os": "windows"}, "no-wheels"),
    (env(tf(version="2.4.4", cuda="11.0")), "11.8", {}, "no-wheels-at-all"),
    (env(tf(version="2.99.0", cuda="12.9")), "12.9", {}, "not-in-tables"),
    (env(build("torch", "2.6.0+cu124", "12.4")), "12.4", {"os": "windows"}, "bundled"),
    (env(build("torch", "2.6.0+cu124", "12.4", TORCH)), "12.6", {}, "pinned"),
    (env(build("torch", "2.6.0", None)), "12.6", {}, "no-cuda-build"),
    (env(), "11.8", {}, "no-cuda-build"),
    (env(build("paddlepaddle", "3.1.1", "12.6")), "12.6", {}, "asks-nothing"),
    (env(tf(), kind="installed"), "11.8", {}, "for-all"),
    (env(tf()), "11.8", {"driver": None}, "no-driver"),
    (env(tf()), "11.8", {"driver": "411.31"}, "old-driver"),
    (env(tf(version="2.17.1", cuda="12.3", requires=AND_CUDA)), "12.4", {"gpus": KEPLER}, "card"),
]


@pytest.mark.parametrize(("environment", "line", "machine", "why"), REFUSED)
def test_what_cannot_work_is_refused_with_a_way_out(
    environment: Environment, line: str, machine: dict[str, Any], why: str
) -> None:
    with pytest.raises(TrueupError) as caught:
        asked(environment, line, **machine)
    assert caught.value.message.code == f"cuda.use-{why}"
    assert caught.value.hint is not None
    for lang in LANGUAGES:
        assert "{" not in say(caught.value.message, lang) + say(caught.value.hint, lang)


def test_a_second_card_that_is_served_is_enough() -> None:
    both = (*KEPLER, Gpu("NVIDIA GeForce RTX 3060", "8.6", 12288, "nvidia"))
    assert asked(env(tf(version="2.17.1", cuda="12.3", requires=AND_CUDA)), "12.4", gpus=both).requirements


def test_the_line_that_serves_is_named_without_being_asked() -> None:
    line = own_line(load(), survey(os="windows"), env(OLD))
    assert line == "11.8"
    pinned = env(tf(version="2.17.1", cuda="12.3", requires=AND_CUDA))
    assert own_line(load(), survey(), pinned) == "12.3"
    loose = env(build("onnxruntime", "1.23.2", "12.2", ORT))
    assert own_line(load(), survey(), loose) == toolkit_lines(load(), "12")[-1]  # what pip would take, too
    assert own_line(load(), survey(), env()) is None


def test_the_lists_of_releases_are_those_of_the_tables() -> None:
    assert toolkit_lines(load(), "11") == ("11.8",)
    assert {"12.0", "12.4"} <= set(toolkit_lines(load(), "12"))
