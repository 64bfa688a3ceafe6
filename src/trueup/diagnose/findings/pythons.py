"""An environment that waits for a framework, and whose Python no build for the card exists for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import problem
from trueup.diagnose.findings.scene import version
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene

SERVED = ("gpu", "gpu-after-change")


def python_in_the_way(scene: Scene) -> Iterator[Finding]:
    """Tell of a venv or conda environment in use whose Python is too new, or too old, for what fits the card."""
    subject, best = scene.subject, scene.solution.best
    if subject is None or subject.kind == "installed" or best is None or best.route != scene.native:
        return
    own, wanted = version(subject.python.version), version(best.python)
    if (
        own is None
        or wanted is None
        or scene.solution.status != "gpu"
        or own.release[:2] == wanted.release[:2]
    ):
        return
    only = f"=={own.major}.{own.minor}.*"
    if solve(Wish((scene.framework,), only, (best.route,)), scene.machine, scene.facts).status in SERVED:
        return
    id_ = "python-too-new-for-release" if own > wanted else "python-too-old-for-release"
    params = {
        "framework": scene.framework,
        "python": subject.python.version,
        "path": subject.path,
        "release": best.builds[0].version,
        "wanted": best.python,
    }
    found = problem(id_, "python", remedies.build_anew(scene))
    yield replace(found, text=Message("findings.no-release-for-python", params))
