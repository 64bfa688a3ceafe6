"""Chooses the interpreter of an environment: one on the machine that fits, else one that uv brings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from packaging.version import InvalidVersion, Version

from trueup.setup.errors import SetupError
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.machine.model import Machine, Python
    from trueup.setup.uv import Uv

INSTALL_TIMEOUT_S: Final = 3600
# A Store Python lives under a long path and in a container; a conda one goes away with its environment.
PREFERENCE: Final = ("python.org", "uv", "system", "pyenv", "unknown", "conda", "store")


def candidates(machine: Machine, version: str) -> list[Path]:
    """Return the interpreters of that minor version, 64-bit and released, the best first."""
    if isinstance(machine.pythons, Unknown):
        return []
    fitting = [python for python in machine.pythons if _fits(python, version)]
    fitting.sort(
        key=lambda python: (_preference(python.kind), [-part for part in Version(python.version).release])
    )
    paths = dict.fromkeys(Path(python.path) for python in fitting if python.path)
    return [path for path in paths if path.exists()]


def find_python(machine: Machine, version: str) -> Path | None:
    """Return the interpreter that an environment would be built on, None where uv has to bring one."""
    return next(iter(candidates(machine, version)), None)


def _fits(python: Python, version: str) -> bool:
    try:
        found = Version(python.version)
    except InvalidVersion:
        return False
    return python.bits == 64 and not found.is_prerelease and found.release[:2] == Version(version).release[:2]


def _preference(kind: str) -> int:
    return PREFERENCE.index(kind) if kind in PREFERENCE else len(PREFERENCE)


def bring(uv: Uv, version: str) -> Path:
    """Let uv install a Python of its own and return its path. Raises SetupError `python`."""
    try:
        uv.run(["python", "install", version], timeout=INSTALL_TIMEOUT_S)
        found = uv.run(["python", "find", version, "--managed-python", "--no-python-downloads"], timeout=60)
    except SetupError as error:
        raise SetupError("python", version=version, quote=error.quote) from error
    return Path(found.strip())
