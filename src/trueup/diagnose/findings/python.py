"""Interpreters: which one is meant, which one is started, and where pip puts things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.findings import remedies
from trueup.diagnose.findings.say import notice, ok, problem, unknown
from trueup.diagnose.findings.subject import folder_of
from trueup.values import Unknown

# Names that are alike in every language; of the others the path says more than a word.
MAKERS = {name: name for name in ("python.org", "conda", "pyenv", "uv")} | {"store": "Microsoft Store"}

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.diagnose.findings.model import Finding
    from trueup.diagnose.findings.scene import Scene
    from trueup.machine.inventory.model import Environment, Programs
    from trueup.machine.model import Python


def pythons(scene: Scene) -> Iterator[Finding]:
    found = scene.machine.pythons
    if isinstance(found, Unknown):
        yield unknown("pythons-unknown", "python", found.why)
        return
    listed = ", ".join(map(_told, found))
    yield (
        ok("pythons", "python", listed=listed)
        if found
        else notice("no-python", "python", remedies.build_anew(scene))
    )
    if scene.subject is not None and scene.subject.python.bits == 32:
        yield problem(
            "python-32bit", "python", remedies.build_anew(scene), path=scene.subject.python.path or "?"
        )


def _told(python: Python) -> str:
    """Return a Python with who made it, or where it is: both read alike in every language."""
    maker = MAKERS.get(python.kind, python.path)
    return f"{python.version} ({maker}{', 32-bit' if python.bits == 32 else ''})"


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
    return None if folder_of(pip) == folder_of(starts[0]) else (starts[0], pip)


def _elsewhere(scene: Scene) -> Finding | None:
    """Tell where the framework is, when the environment in use lacks it: "installed, but not found"."""
    environments = scene.survey.environments
    if scene.build is not None or scene.subject is None or isinstance(environments, Unknown):
        return None
    owner = next((one for one in environments if one.build(scene.framework)), None)
    if owner is None:
        return None
    names = {"framework": scene.framework, "used": scene.subject.path, "owner": owner.path}
    return problem(
        "wrong-interpreter", "python", remedies.build_anew(scene), remedies.say("wrong-fix"), **names
    )


def variables(scene: Scene) -> Iterator[Finding]:
    """Look at PYTHONHOME, which makes every Python but the one that it was set for look for its library there."""
    value = scene.env("PYTHONHOME")
    if value:
        mend = remedies.say("visible-fix", remedies.unset(scene, "PYTHONHOME"))
        yield problem("pythonhome-set", "python", mend, value=value)


def jax_platforms(scene: Scene) -> Iterator[Finding]:
    """Look at the variables that tell JAX which kinds of device to use."""
    for name in ("JAX_PLATFORMS", "JAX_PLATFORM_NAME"):
        value = scene.env(name) or ""
        kinds = {part.strip().lower() for part in value.split(",")} - {""}
        if scene.framework == "jax" and scene.wants_cuda and kinds and kinds.isdisjoint({"cuda", "gpu"}):
            mend = remedies.say("visible-fix", remedies.unset(scene, name))
            yield problem("jax-platforms-hides-gpu", "settings", mend, name=name, value=value)


def kernels(scene: Scene) -> Iterator[Finding]:
    """Look for a notebook whose kernels all lack the framework that another environment has."""
    environments = scene.survey.environments
    if isinstance(environments, Unknown):
        return
    notebooks = [one for one in environments if "kernel" in one.found_by]
    owner = next((one for one in environments if one.build(scene.framework)), None)
    if not notebooks or owner is None or any(one.build(scene.framework) for one in notebooks):
        return
    names = {"framework": scene.framework, "used": notebooks[0].path, "owner": owner.path}
    make = (
        notice if scene.build is not None and scene.subject is not None and scene.subject.active else problem
    )
    yield make("jupyter-kernel-other-env", "python", remedies.say("kernel-fix"), **names)


def environment(scene: Scene) -> Iterator[Finding]:
    subject = scene.subject
    if isinstance(scene.survey.environments, Unknown):
        yield unknown("environments-unknown", "packages", scene.survey.environments.why)
    if subject is None:
        return
    yield ok("environment", "python", path=subject.path, kind=subject.kind, version=subject.python.version)
    if subject.lacks_python is not None:
        mend = remedies.build_anew(scene)
        yield problem(
            "environment-without-python", "python", mend, path=subject.path, lost=subject.lacks_python
        )
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
