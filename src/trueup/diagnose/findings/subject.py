"""Which environment is in question: the named one, the active one, `.venv`, or the one that holds a framework."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.machine.inventory.model import Environment, Survey

DEFAULT = "tensorflow"
_ORDER = ("tensorflow", "torch", "jax", "onnxruntime", "paddlepaddle")


def choose(survey: Survey, framework: str | None, env: str | None) -> tuple[Environment | None, str]:
    """Return the environment, where there is one, and the framework to judge it by."""
    environments = () if isinstance(survey.environments, Unknown) else survey.environments
    subject = _subject(survey, environments, framework, named=env is not None)
    return subject, framework or _framework(subject)


def _subject(
    survey: Survey, environments: tuple[Environment, ...], framework: str | None, *, named: bool
) -> Environment | None:
    folder = [one for one in environments if "folder" in one.found_by]
    if named:
        return folder[0] if folder else None
    active = [one for one in environments if one.active and one.kind != "installed"]
    holders = [one for one in environments if _holds(one, framework)]
    if not active and not folder and all(one.kind == "installed" for one in holders):
        started = started_by_python(survey, environments)
        holders = [started, *holders] if started is not None and holders else holders
    return next(iter((*active, *folder, *holders)), None)


def started_by_python(survey: Survey, environments: tuple[Environment, ...]) -> Environment | None:
    """Return the environment of the first `python` on PATH."""
    programs = survey.programs
    if isinstance(programs, Unknown):
        return None
    starts = [path for path in programs.python if path not in programs.stubs]
    if not starts:
        return None
    folder = folder_of(starts[0])
    return next(
        (one for one in environments if one.python.path and folder_of(one.python.path) == folder), None
    )


def folder_of(python: str) -> str:
    """Return the folder of an interpreter, to compare paths of either system."""
    return python.replace("/", "\\").rpartition("\\")[0].lower()


def _holds(environment: Environment, framework: str | None) -> bool:
    return bool(environment.build(framework) if framework else environment.builds)


def _framework(subject: Environment | None) -> str:
    found = {build.framework for build in subject.builds} if subject else set()
    return next((name for name in _ORDER if name in found), DEFAULT)
