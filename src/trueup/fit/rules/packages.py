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
from trueup.values import Source

if TYPE_CHECKING:
    from trueup.facts.model import Build
    from trueup.fit.case import Candidate, Case
    from trueup.fit.model import Verdict

# Rules whose changes are packages that a user installs, without an administrator.
BY_HAND = frozenset({"cuda-no-wheel", "python-not-brought"})
NUMPY_2_PYTHON = (3, 9)
NUMPY_2 = Source("numpy 2.0.0 on PyPI: Requires-Python >=3.9", "2026-11-30")
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
    limits = wants(build)
    for asked in case.asked.others:
        name = canonicalize_name(asked.name)
        text, specifier = limits.get(name, ("", ""))
        if not overlap(str(asked.specifier), specifier):
            what = {"framework": build.framework, "version": build.version, "asked": str(asked), "cap": text}
            return no(_RULE_OF.get(name, "package-conflict"), "package-conflict", build.source, **what)
        if name == "numpy" and not overlap(str(asked.specifier), "<2") and not _takes_numpy_2(case, build):
            what = {"framework": build.framework, "version": build.version, "asked": str(asked)}
            return no("numpy-abi", "numpy-2-python", NUMPY_2, **what, pythons=", ".join(build.pythons))
    return HOLDS


def _takes_numpy_2(case: Case, build: Build) -> bool:
    fitting = pythons(build.pythons, case.asked.python)
    return not fitting or any(capability(p) >= NUMPY_2_PYTHON for p in fitting)


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


def wants(build: Build) -> dict[str, tuple[str, str]]:
    """Return what a build asks of other packages: name to the text and its specifier."""
    return _wants((*build.requirements, *build.caps))


@lru_cache(maxsize=2048)
def _wants(texts: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Join what is said of one package; a cap beside a range of the metadata counts with it."""
    found: dict[str, tuple[str, str]] = {}
    for text in texts:
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if requirement.marker is None:  # pins that differ by Python are no rivals of each other
            before = found.get(name, ("", ""))
            joined = ",".join(filter(None, (before[1], str(requirement.specifier))))
            found[name] = (" ".join(filter(None, (before[0], text))), joined)
    return found
