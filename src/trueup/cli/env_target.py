"""What a framework needs in an environment that is there: the same Python, the same release where it can do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from packaging.version import InvalidVersion, Version

from trueup import setup
from trueup.cli.mirroring import with_sources
from trueup.cli.places import load
from trueup.cli.up_walk import BUILDS_HERE
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.keep.envs.mending import Target
from trueup.plan.request import request
from trueup.plan.steps import needs_hook
from trueup.plan.writers import conda_cuda
from trueup.plan.writers.order import Order
from trueup.setup import SetupError
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.cli.session import Session
    from trueup.diagnose.findings import Checkup
    from trueup.diagnose.mend.inside import Looked
    from trueup.fit.model import Alignment
    from trueup.machine.inventory.model import Environment
    from trueup.plan.lock import Lock


# what speaks against the files that are there, not only against their version
DAMAGED: Final = frozenset(
    {
        "broken-or-leftover-install", "two-versions", "onnxruntime-cpu-and-gpu-both", "cuda-library-missing",
        "requirement-missing", "conda-cpu-build", "cpu-only-build-installed", "build-for-other-card",
    }
)  # fmt: skip


class Hindered(Exception):  # noqa: N818  # a state of the world, told by its name
    """It cannot be had in this environment. The message says why, and what else does it."""

    def __init__(self, message: Message) -> None:
        super().__init__(message.code)
        self.message = message


def target_of(session: Session, looked: Looked) -> Target:
    """Return what the first framework with a problem needs. Raises Hindered, SetupError."""
    names = {f.id for f in looked.fixable}
    checkup = next(c for c in looked.checkups if any(f.id in names for f in c.findings))
    chosen = _chosen(looked, checkup)
    environment = looked.environment
    own = conda_cuda.specs(chosen)
    fits = bool(own) and all(_has(environment, name, version) for name, version in own.items())
    if own and not fits and any(build.cuda_from.value == "system" for build in chosen.builds):
        raise Hindered(_beside(looked, checkup, "repair.needs-toolkit"))
    question = request(chosen, looked.survey.machine)
    lock = _locked(session, looked, chosen)
    return Target(
        framework=checkup.framework,
        order=Order(chosen, question, lock, {}, {}),
        family=tuple(load().distributions(checkup.framework)),
        wheels=not fits,
        hook=fits or needs_hook(chosen),
        alone=len({build.framework for build in environment.builds}) <= 1,
        anew=not names.isdisjoint(DAMAGED),
    )


def _chosen(looked: Looked, checkup: Checkup) -> Alignment:
    """Return the release that is there where it fits, else the best for this Python; a card is used where one can be."""
    environment, machine = looked.environment, looked.survey.machine
    python = "==" + ".".join(environment.python.version.split(".")[:2]) + ".*"
    build = environment.build(checkup.framework)
    pins = [f"{checkup.framework}=={public}"] if build and (public := _public(build.version)) else []
    found = []
    for wish in (*pins, checkup.framework):
        best = solve(Wish((wish,), python=python), machine, load()).best
        if best is not None and not best.changes and best.route in BUILDS_HERE[machine.os]:
            found.append(best)
    with_card = next((one for one in found if one.route != "cpu"), None)
    anywhere = checkup.solution.best
    if with_card is not None:
        return with_card
    if found and (anywhere is None or anywhere.route == "cpu" or anywhere.changes):
        return found[0]
    raise Hindered(_beside(looked, checkup, "repair.other-python"))


def _public(text: str) -> str | None:
    try:
        return Version(text).public
    except InvalidVersion:
        return None


def _beside(looked: Looked, checkup: Checkup, code: str) -> Message:
    installer = " --installer conda" if looked.environment.kind == "conda" else ""
    best = checkup.solution.best
    params = {
        "framework": checkup.framework,
        "python": looked.environment.python.version,
        "other": best.python if best else "?",
        "command": f"trueup up {checkup.framework}{installer} --env {_quoted(looked.environment.path + '-new')}",
    }
    return Message(code, params)


def _quoted(path: str) -> str:
    return f'"{path}"' if any(c in path for c in " &()") else path


def _has(environment: Environment, name: str, version: str) -> bool:
    return any(p.name == name and f"{p.version}.".startswith(f"{version}.") for p in environment.conda)


def _locked(session: Session, looked: Looked, chosen: Alignment) -> Lock:
    """Lock with what conda brought as it is; where that cannot be, without that condition."""
    question = request(chosen, looked.survey.machine)
    there = {p.name: p.version for p in looked.environment.packages}
    family = load().distributions(chosen.builds[0].framework)
    kept = [
        f"{name}=={there[name]}" for name in looked.seen.owned if name not in family and _public(there[name])
    ]
    mild = replace(question, constraints=tuple(sorted({*question.constraints, *kept})))
    try:
        return with_sources(session, (), lambda uv: setup.lock(mild, uv=uv))
    except SetupError as error:
        if error.kind not in ("conflict", "no-version", "no-wheel"):
            raise
    return with_sources(session, (), lambda uv: setup.lock(question, uv=uv))
