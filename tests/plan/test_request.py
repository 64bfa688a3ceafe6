"""The question to the resolver, for each kind of target."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "setup"))
from made import alignment_of, build_of

from trueup.facts.model import CudaFrom
from trueup.machine.model import Machine
from trueup.plan.request import GLIBC_MINORS, request
from trueup.plan.steps import cost, needs_hook, steps

LINUX = alignment_of(build_of("foo", "1.0", platform="linux", glibc="2.17"))


@pytest.mark.parametrize(
    ("glibc", "name"),
    [
        ("2.36", "2_36"),
        ("2.39", "2_39"),
        ("2.44", "2_40"),
        ("2.29", "2_28"),
        ("2.17", "2_17"),
        ("2.12", "2_17"),
    ],
)
def test_machine_brings_its_glibc(glibc: str, name: str) -> None:
    question = request(LINUX, Machine(os="linux", glibc=glibc))
    assert question.uv_platform == f"x86_64-manylinux_{name}"


def test_unknown_glibc_takes_the_least_that_the_builds_need() -> None:
    newer = alignment_of(build_of("foo", "1.0", platform="linux", glibc="2.28"))
    assert request(newer).glibc_minor == 28
    assert request(newer, Machine(os="linux")).glibc_minor == 28
    assert list(GLIBC_MINORS) == sorted(GLIBC_MINORS)


def test_windows_has_no_glibc() -> None:
    question = request(
        alignment_of(build_of("foo", "1.0", platform="windows", glibc=None)), Machine(os="windows")
    )
    assert question.uv_platform == "x86_64-pc-windows-msvc"


def test_versions_are_pinned_even_where_the_wish_is_loose() -> None:
    loose = replace(
        LINUX, requirements=("foo[gpu]",), packages=(("foo", "1.0"), ("msvc-runtime", "14.42.34433"))
    )
    question = request(loose)
    assert question.requirements == ("foo[gpu]", "msvc-runtime==14.42.34433", "pip")
    assert set(question.constraints) == {"foo==1.0", "msvc-runtime==14.42.34433"}


def test_index_serves_its_framework_only() -> None:
    torch = build_of("torch", "2.5.1", platform="linux", index="https://torch.invalid/whl/cu121")
    (index,) = request(alignment_of(torch, build_of("foo", "1.0", platform="linux"))).indexes
    assert index.url == "https://torch.invalid/whl/cu121"
    assert set(index.packages) == {"torch", "torchvision", "torchaudio"}


def test_equal_questions_have_equal_ids() -> None:
    assert request(LINUX).id == request(LINUX).id
    assert request(LINUX).id != request(replace(LINUX, caps=("numpy<2",))).id


def test_steps_say_what_they_cost() -> None:
    found = steps(LINUX, python_path="/usr/bin/python3", env=".venv")
    assert cost(found) == (1, 2)
    brought = steps(LINUX, python_path=None, env=".venv")
    assert cost(brought) == (1 + 30, 2 + 110)
    assert cost(steps(replace(LINUX, disk_mb=None), python_path=None, env=".venv")) == (31, None)


@pytest.mark.parametrize(
    ("platform", "cuda_from", "needed"),
    [
        ("windows", CudaFrom.NONE, True),
        ("linux", CudaFrom.NONE, False),
        ("linux", CudaFrom.DEPENDENCY, True),
        ("linux", CudaFrom.BUNDLED, False),
    ],
)
def test_hook_goes_where_libraries_would_not_be_found(
    platform: str, cuda_from: CudaFrom, needed: bool
) -> None:
    alignment = alignment_of(build_of("foo", "1.0", platform=platform, cuda_from=cuda_from))
    assert needs_hook(alignment) is needed
    assert any(step.id == "hook" for step in steps(alignment, python_path=None, env="x")) is needed
