"""The environment that `bench` and `fit-batch` work in: its Python, its framework, the device that is announced."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.proof.model import Expected, Timeouts


@dataclass(frozen=True, slots=True)
class Target:
    python: Path
    device: Expected
    framework: str
    timeouts: Timeouts


def target(env: str, device: Expected | None, *, card: bool) -> Target:
    """Return what an environment is measured with. Without a record, a card that the driver lists is announced."""
    from trueup.proof.model import Timeouts
    from trueup.setup.record import python_of, read

    folder = Path(env).absolute()
    python = python_of(folder)
    if not python.exists():
        params = {"path": env}
        raise TrueupError(Message("bench.no-environment", params), Message("bench.no-environment-hint"))
    record = read(folder)
    if record is None:
        found = _installed(folder, env)
        return Target(python, device or ("gpu" if card else "cpu"), found, Timeouts())
    from trueup.cli.proving import announced

    framework, timeouts = announced(folder)
    return Target(python, device or record.device, framework, timeouts)


def _installed(folder: Path, asked: str) -> str:
    """Return the framework that is there; the first of those that can be measured."""
    from trueup.proof.model import COURSES
    from trueup.setup.record import site_packages

    packages = site_packages(folder)
    for name in COURSES:
        if (packages / name).is_dir():
            return name
    params = {"path": asked, "known": ", ".join(COURSES)}
    raise TrueupError(Message("bench.no-framework", params), Message("bench.no-framework-hint"))
