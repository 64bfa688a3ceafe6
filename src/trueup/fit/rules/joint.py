"""What frameworks in one environment do to each other. Each rule looks at two candidates of one route."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.facts.model import CudaFrom
from trueup.fit.limits import limits as limits_of
from trueup.fit.limits import parsed
from trueup.fit.rules.packages import pythons
from trueup.fit.rules.verdict import HOLDS, no
from trueup.fit.versions import overlap, version

if TYPE_CHECKING:
    from trueup.facts.model import Build
    from trueup.fit.case import Candidate, Case
    from trueup.fit.model import Verdict

# Its extra asks for least versions of CUDA and cuDNN, not for one release. Source: JAX's installation page.
_LEAST_ONLY = ("jax",)
_WHEELS = (CudaFrom.DEPENDENCY, CudaFrom.ADDED)


def one_python(case: Case, one: Candidate, other: Candidate) -> Verdict:
    asked = case.asked.python
    if set(pythons(one.build.pythons, asked)) & set(pythons(other.build.pythons, asked)):
        return HOLDS
    what = {"pythons": ", ".join(one.build.pythons), "others": ", ".join(other.build.pythons)}
    return no("python-no-wheel-joint", "joint-python", **_names(one.build, other.build), **what)


def limits(case: Case, one: Candidate, other: Candidate) -> Verdict:
    """Compare what both ask of the same package, numpy or protobuf, on the Pythons that both have wheels for."""
    common = [p for p in one.build.pythons if p in other.build.pythons]
    found = [_rivals(case, one.build, other.build, p) for p in common or one.build.pythons[-1:]]
    if not found or None in found:
        return HOLDS
    name, text, rival = next(rivals for rivals in found if rivals)
    rule = "numpy-abi" if name == "numpy" else "joint-packages"
    names = _names(one.build, other.build)
    return no(rule, "joint-packages", **names, limit=text, rival=rival)


def _rivals(case: Case, one: Build, other: Build, python: str) -> tuple[str, str, str] | None:
    rivals = limits_of(case.facts, other, python)
    for name, (text, specifier) in limits_of(case.facts, one, python).items():
        rival, its_specifier = rivals.get(name, ("", ""))
        if not overlap(specifier, its_specifier):
            return name, text, rival
    return None


def cuda(case: Case, one: Candidate, other: Candidate) -> Verdict:  # noqa: ARG001
    """Say whether two builds bring CUDA libraries of one name and different making.

    cuRAND and cuSOLVER keep their file names from one CUDA line to the next, cuDNN within its own: from wheels
    they even share a folder, and a process takes the first that is loaded of a name for both.
    """
    a, b = one.build, other.build
    if not (a.cuda and b.cuda):
        return HOLDS
    what = {"cuda": a.cuda, "cudnn": a.cudnn or "?", "other_cuda": b.cuda, "other_cudnn": b.cudnn or "?"}
    if _major(a.cuda) != _major(b.cuda):
        return no("joint-cuda", "joint-cuda-lines", b.source, **_names(a, b), **what)
    if a.cuda_from in _WHEELS and b.cuda_from in _WHEELS:
        if not overlap(_cudnn(a), _cudnn(b)) or not _lines_agree(a, b):
            return no("joint-cuda", "joint-cuda-pins", b.source, **_names(a, b), **what)
    elif a.cudnn != b.cudnn and _may_equal(a.cudnn, b.cudnn):
        return no("joint-cuda", "joint-cuda-names", b.source, **_names(a, b), **what)
    return HOLDS


# What two builds do to each other on any machine; `one_python` depends on the wish as well.
JOINT_RULES = (cuda, limits)


def _lines_agree(one: Build, other: Build) -> bool:
    """Say whether the CUDA wheels of both can be the same: pins must be equal, a range takes a newer pin."""
    a, b = _line(one), _line(other)
    if _ranged(one) and _ranged(other):
        return True
    if _ranged(one) or _ranged(other):
        ranged, least, pinned = (one, a, b) if _ranged(one) else (other, b, a)
        return ranged.framework in _LEAST_ONLY or version(pinned) >= version(least)
    return a == b


def _ranged(build: Build) -> bool:
    written = _written(build, "nvidia-cudnn-")
    return build.framework in _LEAST_ONLY or (written is not None and not written.startswith("=="))


def _line(build: Build) -> str:
    """Return the CUDA line of a build's wheels: 11.8 of the pin 11.8.89, else what it was built with."""
    written = _written(build, "nvidia-cuda-runtime-")
    line = written.removeprefix("==") if written and written.startswith("==") else build.cuda or "0"
    return ".".join(line.split(".")[:2])


def _written(build: Build, name: str) -> str | None:
    said = (parsed(text) for text in (*build.requirements, *build.caps))
    return next((specifier for package, specifier, _ in said if package.startswith(name) and specifier), None)


def _cudnn(build: Build) -> str:
    """Return which cuDNN a build's wheels ask for: as written, else its own line, empty where not known."""
    written = _written(build, "nvidia-cudnn-")
    if written or build.cudnn is None:
        return written or ""
    if build.framework in _LEAST_ONLY:
        return f">={build.cudnn},<{int(_major(build.cudnn)) + 1}"
    return f"=={build.cudnn}" if build.cudnn.count(".") >= 3 else f"=={build.cudnn}.*"


def _may_equal(one: str | None, other: str | None) -> bool:
    """Say whether two cuDNN may be of one major line; what is not known may."""
    return one is None or other is None or _major(one) == _major(other)


def _major(text: str) -> str:
    return text.partition(".")[0]


def _names(one: Build, other: Build) -> dict[str, str]:
    return {
        "framework": f"{one.framework} {one.version}",
        "other": f"{other.framework} {other.version}",
    }
