"""Interpreters: which one is meant, which one is started, and where pip puts things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import notice, ok, problem, unknown
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.inventory.model import Environment, Programs


def pythons(scene: Scene) -> Iterator[Finding]:
    found = scene.machine.pythons
    if isinstance(found, Unknown):
        yield unknown("pythons-unknown", "python", found.why)
        return
    listed = ", ".join(f"{p.version} ({p.kind}{', 32-bit' if p.bits == 32 else ''})" for p in found)
    yield (
        ok("pythons", "python", listed=listed)
        if found
        else notice("no-python", "python", remedies.build_anew(scene))
    )
    if scene.subject is not None and scene.subject.python.bits == 32:
        yield problem(
            "python-32bit", "python", remedies.build_anew(scene), path=scene.subject.python.path or "?"
        )


def programs(scene: Scene) -> Iterator[Finding]:
    found = scene.survey.programs
    if isinstance(found, Unknown):
        yield unknown("programs-unknown", "python", found.why)
        return
    first = found.python[0] if found.python else None
    if first is not None and first in found.stubs:
        yield notice("store-stub", "python", remedies.say("store-stub-fix"), path=first)
    elsewhere = _elsewhere(scene)
    if elsewhere is not None:
        yield elsewhere
    elif (parted := _parted(found)) is not None:
        python, pip = parted
        yield notice(
            "pip-and-python-differ",
            "python",
            remedies.say("pip-fix", "python -m pip"),
            python=python,
            pip=pip,
        )


def _parted(found: Programs) -> tuple[str, str] | None:
    """Return the first python and the interpreter of the first pip, where they differ."""
    pip = found.pip_python
    starts = [path for path in found.python if path not in found.stubs]
    if not starts or not isinstance(pip, str) or "shims" in starts[0]:
        return None
    if pip.startswith("Python "):  # of the user's own scripts only the version is known
        digits = pip.removeprefix("Python ").replace(".", "")
        return None if digits in starts[0] else (starts[0], pip)
    return None if _folder(pip) == _folder(starts[0]) else (starts[0], pip)


def _folder(python: str) -> str:
    return python.replace("/", "\\").rpartition("\\")[0].lower()


def _elsewhere(scene: Scene) -> Finding | None:
    """Tell where the framework is, when the environment in use lacks it: "installed, but not found"."""
    environments = scene.survey.environments
    if scene.build is not None or isinstance(environments, Unknown):
        return None
    owner = next((one for one in environments if one.build(scene.framework)), None)
    asking = _asking(scene, environments)
    if owner is None or asking is None or asking is owner:
        return None
    names = {"framework": scene.framework, "used": asking.path, "owner": owner.path}
    if "kernel" in asking.found_by:
        return problem("jupyter-kernel-other-env", "python", remedies.say("kernel-fix"), **names)
    return problem(
        "wrong-interpreter", "python", remedies.build_anew(scene), remedies.say("wrong-fix"), **names
    )


def _asking(scene: Scene, environments: tuple[Environment, ...]) -> Environment | None:
    """Return the environment from which the user starts: the one in question, else that of the first python."""
    if scene.subject is not None:
        return scene.subject
    found = scene.survey.programs
    if isinstance(found, Unknown):
        return None
    starts = [path for path in found.python if path not in found.stubs]
    if not starts:
        return None
    folder = _folder(starts[0])
    return next((one for one in environments if one.python.path and _folder(one.python.path) == folder), None)


def environment(scene: Scene) -> Iterator[Finding]:
    subject = scene.subject
    if subject is None:
        return
    yield ok("environment", "python", path=subject.path, kind=subject.kind, version=subject.python.version)
    for why in subject.unread:
        yield unknown("packages-unread", "packages", why)
    if subject.python.kind == "store" and scene.wants_cuda and scene.windows and not subject.hook:
        yield problem("store-python-dll-search", "python", remedies.build_anew(scene))
    if _needs_activation(scene, subject):
        mend = remedies.say("conda-fix", f"conda activate {subject.path}")
        yield problem("conda-env-not-activated", "python", mend, path=subject.path)


def _needs_activation(scene: Scene, subject: Environment) -> bool:
    """Tell whether CUDA is conda's own, whose folder of DLLs only an activation puts on PATH."""
    has_cuda = any(package.name in ("cudatoolkit", "cudnn", "cuda-cudart") for package in subject.conda)
    return scene.windows and subject.kind == "conda" and has_cuda and scene.wants_cuda and not subject.active
