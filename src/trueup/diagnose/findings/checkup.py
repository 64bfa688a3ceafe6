"""Looks at every layer and names the one root cause: the first problem in causal order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from trueup.diagnose.findings import (
    cards,
    cuda,
    frameworks,
    logs,
    numbers,
    packages,
    processor,
    python,
    remedies,
    requires,
    system,
)
from trueup.diagnose.findings.model import Checkup
from trueup.diagnose.findings.order import rank
from trueup.diagnose.findings.scene import Scene, nvidia
from trueup.diagnose.findings.subject import choose
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.values import TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.diagnose.findings.model import Finding, Outcome
    from trueup.facts import Facts
    from trueup.fit.knowledge import Knowledge
    from trueup.machine.inventory.live import Live
    from trueup.machine.inventory.model import Environment, FrameworkBuild, Survey
    from trueup.values import Message

    Look = Callable[[Environment, FrameworkBuild], tuple[str, ...] | None]

LOOKS = (
    cards.cards,
    cards.driver,
    cards.devices,
    system.system,
    system.wsl,
    python.pythons,
    python.environment,
    python.programs,
    python.variables,
    python.jax_platforms,
    python.kernels,
    frameworks.framework,
    packages.broken,
    packages.doubles,
    packages.caps,
    requires.requirements,
    packages.scripts,
    cuda.runtime,
    cuda.stubs,
    cuda.cuda,
    numbers.explained,
    system.paths,
    system.settings,
    system.memory,
    logs.resets,
    logs.quarantined,
)

# layers of which nothing may be unknown where all is said to be well
DECIDE = ("card", "driver", "framework", "packages", "runtime", "cuda")
TRACED = ("tensorflow", "onnxruntime")  # whose search was compared with what the loader really did
BY_WHEELS = ("cuda", "packages", "framework")  # layers whose faults may be healed by bringing CUDA's wheels
NO_CARD = ("no-card", "no-nvidia-on-macos")  # nothing to repair: the processor is what there is


def check(
    survey: Survey,
    facts: Knowledge,
    *,
    framework: str | None = None,
    env: str | None = None,
    answers: tuple[Live, ...] = (),
    look: Look | None = None,
) -> Checkup:
    """Judge a survey. `env` names the environment in question, `framework` what it is for.

    `answers`: what happened when frameworks were imported, where that was tried. `look` reads the binaries of an
    installed build and returns the names that would not be found; without it the packages' names have to do.
    """
    subject, name = choose(survey, framework, env)
    scene = Scene(survey, facts, name, subject, solve(Wish((name,)), survey.machine, facts))
    build = scene.build if name in TRACED and scene.wants_cuda else None
    if look is not None and subject is not None and build is not None:
        scene = replace(scene, lost=look(subject, build))
    findings = tuple(finding for ask in LOOKS for finding in ask(scene))
    if scene.build is None and scene.solution.status != "gpu" and nvidia(scene):
        findings += tuple(frameworks.against(scene, scene.solution))
    if answers:
        from trueup.diagnose.findings.live import live  # noqa: PLC0415  # reads the catalog of causes

        expected = scene.wants_cuda and not any(one.status == "problem" for one in findings)
        findings += tuple(live(scene, answers, expected=expected))
    findings = processor.without_card(scene, _once(findings))
    cause = min((one for one in findings if one.status == "problem"), key=rank, default=None)
    return Checkup(
        outcome=_outcome(scene, findings, cause),
        cause=cause,
        findings=findings,
        ruled_out=_ruled_out(findings, cause),
        numbers=numbers.numbers(scene),
        survey=survey,
        subject=subject,
        framework=name,
        command=remedies.up(scene),
        solution=scene.solution,
        line=_line(scene, findings),
    )


def _line(scene: Scene, findings: tuple[Finding, ...]) -> str | None:
    """Return the CUDA line whose wheels the environment in question could be given, framework and driver considered."""
    wrong = any(one.status == "problem" and one.layer in BY_WHEELS for one in findings)
    if scene.subject is None or not wrong:
        return None
    from trueup.keep.cuda.wanted import own_line, wanted  # noqa: PLC0415  # only where something is wrong

    facts = cast("Facts", scene.facts)
    line = own_line(facts, scene.survey, scene.subject)
    try:
        return line and wanted(facts, scene.survey, scene.subject, line).line
    except TrueupError:
        return None


def _once(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Keep the first of findings that say the same: a look at the machine tells more than the solver's reason."""
    kept: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        kept.setdefault(
            (finding.id, str(dict(finding.text.params)) if finding.status != "problem" else ""), finding
        )
    return tuple(kept.values())


def _outcome(scene: Scene, findings: tuple[Finding, ...], cause: Finding | None) -> Outcome:
    if cause is not None:
        return "cpu-only" if cause.id in NO_CARD else "not-aligned"
    if any(one.status == "unknown" for one in findings if one.layer in DECIDE):
        return "unknown"
    if scene.build is not None:
        return "aligned"
    return "ready" if scene.solution.status == "gpu" else "cpu-only"


def _ruled_out(findings: tuple[Finding, ...], cause: Finding | None) -> tuple[Message, ...]:
    """Return what was looked at and is in order, on the layers before the cause."""
    good = tuple(one.text for one in findings if one.status == "ok")
    return good if cause is not None else ()
