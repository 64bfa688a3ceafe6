"""Two frameworks in one environment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from fit_world import HOLDS, LINUX, build, candidate, case, said

from trueup.facts.model import CudaFrom
from trueup.fit.rules import joint

NATIVE = build("tensorflow", "2.10.1")
WSL = build("tensorflow", "2.20.0", platform="linux", cuda="12.5", cudnn="9.3", glibc="2.31")


def joined(one: Any, other: Any, rule: Any) -> tuple[str, str, str | None]:
    return said(rule(case(LINUX), candidate("linux", one), candidate("linux", other)))


def test_two_cudnn_of_one_name() -> None:
    ours = replace(NATIVE, cudnn="8.9.5.29")
    theirs = build("torch", "2.0.1", cudnn="8.7.0.84", cuda_from=CudaFrom.BUNDLED)
    assert joined(ours, theirs, joint.cuda) == ("no", "joint-cuda", None)
    newer = replace(theirs, cudnn="9.1.0.70")
    assert joined(ours, newer, joint.cuda) == HOLDS, "cudnn64_8.dll and cudnn64_9.dll have different names"
    assert joined(ours, replace(theirs, cudnn=None), joint.cuda) == ("no", "joint-cuda", None)


@pytest.mark.parametrize("made_from", [CudaFrom.DEPENDENCY, CudaFrom.BUNDLED])
def test_two_cuda_lines_share_names(made_from: CudaFrom) -> None:
    twelve = build("tensorflow", "2.20.0", cuda="12.5", cudnn="9.3", cuda_from=CudaFrom.DEPENDENCY)
    thirteen = build("torch", "2.14.0", cuda="13.0", cudnn="9.20.0.48", cuda_from=made_from)
    assert joined(twelve, thirteen, joint.cuda) == ("no", "joint-cuda", None)
    assert joined(NATIVE, twelve, joint.cuda) == ("no", "joint-cuda", None), (
        "curand64_10.dll is in both lines"
    )


def test_pins_and_ranges_of_cuda_wheels() -> None:
    pinned = build("tensorflow", "2.18.0", cuda="12.5", cudnn="9.3", cuda_from=CudaFrom.DEPENDENCY)
    torch = build("torch", "2.8.0", cuda="12.6", cudnn="9.10.2.21", cuda_from=CudaFrom.DEPENDENCY)
    assert joined(pinned, torch, joint.cuda) == ("no", "joint-cuda", None)
    ranged = replace(pinned, requirements=("tensorflow==2.20.0", "nvidia-cudnn-cu12>=9.1,<9.11"))
    assert joined(ranged, torch, joint.cuda) == HOLDS
    older = replace(torch, cuda="12.4", cudnn="9.1.0.70")
    assert joined(older, ranged, joint.cuda) == ("no", "joint-cuda", None), "its range begins at 12.5"
    jax = build("jax", "0.7.1", cuda="12.8", cudnn="9.8", cuda_from=CudaFrom.DEPENDENCY)
    assert joined(jax, torch, joint.cuda) == HOLDS, "JAX names a least cuDNN only"
    assert joined(jax, ranged, joint.cuda) == HOLDS


def test_equal_pins_may_share() -> None:
    old = build("tensorflow", "2.14.0", cuda="11.8", cudnn="8.7", cuda_from=CudaFrom.DEPENDENCY)
    torch = build("torch", "2.0.1", cuda="11.8", cudnn="8.7.0.84", cuda_from=CudaFrom.DEPENDENCY)
    assert joined(old, torch, joint.cuda) == HOLDS
    assert joined(old, replace(torch, cuda="11.7"), joint.cuda) == ("no", "joint-cuda", None)
    added = replace(
        old,
        requirements=("tensorflow==2.13", "nvidia-cuda-runtime-cu11==11.8.89", "nvidia-cudnn-cu11==8.7.0.84"),
        cuda="11.2",
    )
    assert joined(added, torch, joint.cuda) == HOLDS, "what the wheels are counts, not what it was built with"


def test_packages_and_pythons_of_two() -> None:
    one = replace(NATIVE, caps=("numpy<2",))
    other = build("torch", "2.14.0", caps=("numpy>=2",), pythons=("3.11",))
    assert joined(one, other, joint.limits) == ("no", "numpy-abi", None)
    assert joined(one, other, joint.one_python) == ("no", "python-no-wheel-joint", None)
    assert joined(one, replace(other, caps=(), pythons=("3.10",)), joint.one_python) == HOLDS
