"""Python, versions and the packages beside the framework."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from trueup.facts.model import CudaFrom
from trueup.fit.beside import first_clash, serving
from trueup.fit.pythons import LEAST_BROUGHT, at_hand
from trueup.fit.rules import changes
from trueup.fit.rules.verdict import HOLDS, change, no
from trueup.fit.versions import capability, python_takes

if TYPE_CHECKING:
    from trueup.fit.case import Candidate, Case
    from trueup.fit.model import Verdict

# Rules whose changes are packages that a user installs, without an administrator.
BY_HAND = frozenset({"cuda-no-wheel", "python-not-brought"})
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
    """Compare what else was asked with what the release and its METADATA ask, and the other way round."""
    build = candidate.build
    fitting = pythons(build.pythons, case.asked.python)
    if not case.asked.others or not fitting or serving(case, build, fitting):
        return HOLDS
    clashes = [clash for python in fitting if (clash := first_clash(case, build, python))]
    clash = next((c for c in clashes if not c.needs), clashes[0])
    name, release = canonicalize_name(clash.asked.name), clash.release
    rule = _RULE_OF.get(name, "package-conflict")
    what = {"framework": build.framework, "version": build.version, "asked": str(clash.asked)}
    if release is None:
        return no(rule, "package-conflict", build.source, **what, cap=clash.needs or "")
    what["package"] = f"{release.package} {release.version}"
    if clash.needs:
        return no(rule, "package-asks", release.source, **what, needs=clash.needs)
    return no(rule, "package-no-wheel", release.source, **what, pythons=", ".join(fitting))


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
