"""Where there is no card to use: whether the processor's environment is there already, and what a GPU would take."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import ok
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.diagnose.findings.model import Finding, Remedy
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.inventory.model import Environment

WITHOUT: Final = ("no-card", "no-nvidia-on-macos", "gpu-not-nvidia")
FOLLOWS: Final = (*WITHOUT, "cpu-only-build-installed")  # what is no fault on such a machine


def without_card(scene: Scene, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Say of a machine without a card what is proven on its processor, and do not ask to build that again.

    Any other problem may be one of just that environment: then nothing is said to be in order.
    """
    if not any(one.id in WITHOUT and one.status == "problem" for one in findings):
        return findings
    good = all(one.id in FOLLOWS for one in findings if one.status == "problem")
    environment = proven(scene) if good else None
    told = tuple(
        replace(one, remedies=_ways(one, environment)) if one.id in WITHOUT else one for one in findings
    )
    if environment is None or environment.proven is None:
        return told
    params = {"path": environment.path, "date": environment.proven.date[:10], "framework": scene.framework}
    return (*told, ok("cpu-proven", "framework", **params))


def proven(scene: Scene) -> Environment | None:
    """Return the environment of ours that was proven on the processor and holds what it held then.

    None where this machine has more to offer than the processor.
    """
    best = scene.solution.best
    if best is None or best.route != "cpu" or isinstance(scene.survey.environments, Unknown):
        return None
    subject = scene.subject
    first = () if subject is None else (subject,)
    others = () if subject is not None and subject.builds else scene.survey.environments
    return next((one for one in (*first, *others) if _is_proven(scene, one)), None)


def _is_proven(scene: Scene, environment: Environment) -> bool:
    found = environment.proven
    if found is None or not found.intact or found.device != "cpu" or environment.lacks_python:
        return False
    return scene.framework in found.frameworks and not environment.leftovers and not environment.strays


def _ways(finding: Finding, environment: Environment | None) -> tuple[Remedy, ...]:
    if finding.status != "problem":
        return finding.remedies
    gpu = remedies.say("gpu-on-mac-fix" if finding.id == "no-nvidia-on-macos" else "gpu-fix")
    if environment is None:
        return (*finding.remedies, gpu)
    again = f"trueup verify --env {remedies.quoted(environment.path)}"
    return (remedies.say("cpu-proven-fix", again, path=environment.path), gpu)
