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
    subject = _subject(environments, framework, named=env is not None)
    return subject, framework or _framework(subject)


def _subject(
    environments: tuple[Environment, ...], framework: str | None, *, named: bool
) -> Environment | None:
    first = [one for one in environments if "folder" in one.found_by]
    if named:
        return first[0] if first else None
    for group in (
        [one for one in environments if one.active and one.kind != "installed"],
        first,
        [one for one in environments if one.active and one.builds],
        [one for one in environments if _holds(one, framework)],
    ):
        if group:
            return group[0]
    return None


def _holds(environment: Environment, framework: str | None) -> bool:
    return bool(environment.build(framework) if framework else environment.builds)


def _framework(subject: Environment | None) -> str:
    found = {build.framework for build in subject.builds} if subject else set()
    return next((name for name in _ORDER if name in found), DEFAULT)
