"""Python, versions and the packages beside the framework."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from trueup.facts.model import CudaFrom
from trueup.fit.pythons import LEAST_BROUGHT, at_hand
from trueup.fit.rules import changes
from trueup.fit.rules.verdict import HOLDS, change, no
from trueup.fit.versions import capability, overlap, python_takes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.case import Candidate, Case
    from trueup.fit.model import Verdict

_RULE_OF = {"numpy": "numpy-abi", "protobuf": "protobuf-line"}


def python(case: Case, candidate: Candidate) -> Verdict:
    build = candidate.build
    if pythons(build.pythons, case.asked.python):
        return HOLDS
    what = {
        "framework": build.framework,
        "version": build.version,
        "pythons": ", ".join(build.pythons) or "-",
    }
    return no("python-no-wheel", "python-no-wheel", build.source, **what, asked=case.asked.python)


def python_at_hand(case: Case, candidate: Candidate) -> Verdict:
    """Old Pythons are brought by nobody: such a one must be on the machine."""
    build = candidate.build
    fitting = pythons(build.pythons, case.asked.python)
    if not fitting or any(capability(p) >= LEAST_BROUGHT for p in fitting):
        return HOLDS
    if at_hand(case, build.platform) & set(fitting):
        return HOLDS
    what = {"framework": build.framework, "version": build.version, "pythons": ", ".join(fitting)}
    to = changes.install_python(fitting[-1])
    return change("python-not-brought", "python-not-brought", to, build.source, **what)


def others(case: Case, candidate: Candidate) -> Verdict:
    """Compare what else was asked with the limits without which the release breaks."""
    build = candidate.build
    clash = next(_clashes(case.asked.others, (*build.caps, *build.requirements)), None)
    if clash is None:
        return HOLDS
    asked, cap = clash
    name = canonicalize_name(asked.name)
    what = {"framework": build.framework, "version": build.version, "asked": str(asked), "cap": cap}
    return no(_RULE_OF.get(name, "package-conflict"), "package-conflict", build.source, **what)


def cuda_source(case: Case, candidate: Candidate) -> Verdict:  # noqa: ARG001
    """Old CUDA lines are on no package index that trueup installs from."""
    build = candidate.build
    if build.cuda_from is not CudaFrom.SYSTEM:
        return HOLDS
    what = {"framework": build.framework, "version": build.version}
    cuda, cudnn = build.cuda or "-", build.cudnn or "-"
    to = changes.install_cuda(cuda, cudnn)
    return change("cuda-no-wheel", "cuda-no-wheel", to, build.source, **what, cuda=cuda, cudnn=cudnn)


@lru_cache(maxsize=2048)
def pythons(wheels: tuple[str, ...], specifier: str) -> tuple[str, ...]:
    """Return what of a build's Pythons a specifier takes, oldest first."""
    return tuple(taken for minor in wheels if (taken := python_takes(specifier, minor)))


def _clashes(asked: tuple[Requirement, ...], caps: tuple[str, ...]) -> Iterator[tuple[Requirement, str]]:
    for other in asked:
        for cap in caps:
            limit = _parsed(cap)
            if canonicalize_name(limit.name) == canonicalize_name(other.name) and not overlap(
                str(other.specifier), str(limit.specifier)
            ):
                yield other, cap


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Requirement:
    return Requirement(text)
