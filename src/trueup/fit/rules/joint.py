"""What frameworks in one environment do to each other. Each rule looks at two candidates of one route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trueup.facts.model import CudaFrom
from trueup.fit.rules.packages import pythons
from trueup.fit.rules.verdict import HOLDS, no
from trueup.fit.versions import overlap

if TYPE_CHECKING:
    from trueup.facts.model import Build
    from trueup.fit.case import Candidate, Case
    from trueup.fit.model import Verdict

_WHEELS = (CudaFrom.DEPENDENCY, CudaFrom.ADDED)


def one_python(case: Case, one: Candidate, other: Candidate) -> Verdict:
    asked = case.asked.python
    if set(pythons(one.build.pythons, asked)) & set(pythons(other.build.pythons, asked)):
        return HOLDS
    what = {"pythons": ", ".join(one.build.pythons), "others": ", ".join(other.build.pythons)}
    return no("python-no-wheel-joint", "joint-python", **_names(one.build, other.build), **what)


def limits(case: Case, one: Candidate, other: Candidate) -> Verdict:  # noqa: ARG001
    """Compare what both ask of the same package: numpy, protobuf and the like."""
    for text in (*one.build.caps, *one.build.requirements):
        limit = Requirement(text)
        for rival in (*other.build.caps, *other.build.requirements):
            asked = Requirement(rival)
            same = canonicalize_name(limit.name) == canonicalize_name(asked.name)
            if same and not overlap(str(limit.specifier), str(asked.specifier)):
                rule = "numpy-abi" if asked.name == "numpy" else "joint-packages"
                names = _names(one.build, other.build)
                return no(rule, "joint-packages", **names, limit=text, rival=rival)
    return HOLDS


def cuda(case: Case, one: Candidate, other: Candidate) -> Verdict:  # noqa: ARG001
    """Two cuDNN of one major line have the same file names: the one that is loaded first serves both.

    From wheels they even share a folder, and a process holds one CUDA line of each name.
    """
    a, b = one.build, other.build
    if not (a.cuda and b.cuda and a.cudnn and b.cudnn):
        return HOLDS
    what = {"cuda": a.cuda, "cudnn": a.cudnn, "other_cuda": b.cuda, "other_cudnn": b.cudnn}
    shared = a.cuda_from in _WHEELS and b.cuda_from in _WHEELS
    if shared and _major(a.cuda) != _major(b.cuda) and _major(a.cudnn) == _major(b.cudnn):
        return no("joint-cuda", "joint-cuda-folder", b.source, **_names(a, b), **what)
    if shared and _major(a.cuda) == _major(b.cuda) and not overlap(_cudnn(a), _cudnn(b)):
        return no("joint-cuda", "joint-cuda-pins", b.source, **_names(a, b), **what)
    if not shared and _major(a.cudnn) == _major(b.cudnn) and a.cudnn != b.cudnn:
        return no("joint-cuda", "joint-cuda-names", b.source, **_names(a, b), **what)
    return HOLDS


JOINT_RULES = (one_python, cuda, limits)


def _cudnn(build: Build) -> str:
    """Return which cuDNN a build's wheels ask for: as written, else its own line."""
    for text in build.requirements:
        asked = Requirement(text)
        if asked.name.startswith("nvidia-cudnn-") and asked.specifier:
            return str(asked.specifier)
    exact = build.cudnn is not None and build.cudnn.count(".") >= 3
    return f"=={build.cudnn}" if exact else f"=={build.cudnn}.*"


def _major(text: str) -> str:
    return text.partition(".")[0]


def _names(one: Build, other: Build) -> dict[str, str]:
    return {
        "framework": f"{one.framework} {one.version}",
        "other": f"{other.framework} {other.version}",
    }
