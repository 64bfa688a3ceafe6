"""The steps of a build as data, with what each costs, known before anybody is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from trueup.facts.model import CudaFrom
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.fit.model import Alignment

StepId = Literal["lock", "python", "venv", "install", "hook", "record", "move", "prove"]
STEP_IDS: tuple[StepId, ...] = get_args(StepId)

# A python-build-standalone archive, packed and unpacked; uv 0.13, read 2026-11-30.
PYTHON_DOWNLOAD_MB = 30
PYTHON_DISK_MB = 110


@dataclass(frozen=True, slots=True)
class Step:
    """`download_mb` and `disk_mb` are megabytes of 10^6 bytes; None where nobody knows yet."""

    id: StepId
    text: Message
    download_mb: int | None = 0
    disk_mb: int | None = 0


def needs_hook(alignment: Alignment) -> bool:
    """Tell whether the environment holds libraries that its framework would not find by itself.

    CUDA from wheels of its own; on Windows also the VC++ runtime, which pip puts where no loader looks.
    """
    return any(
        build.platform == "windows" or build.cuda_from in {CudaFrom.ADDED, CudaFrom.DEPENDENCY}
        for build in alignment.builds
    )


def steps(alignment: Alignment, *, python_path: str | None, env: str) -> tuple[Step, ...]:
    """Return what a build will do. `python_path` is the interpreter on the machine, None: uv brings one."""
    python = {"version": alignment.python}
    found = (
        Step("python", Message("plan.step-python-found", {**python, "path": python_path}))
        if python_path
        else Step("python", Message("plan.step-python-bring", python), PYTHON_DOWNLOAD_MB, PYTHON_DISK_MB)
    )
    install = Step("install", Message("plan.step-install"), alignment.download_mb, alignment.disk_mb)
    return (
        Step("lock", Message("plan.step-lock")),
        found,
        Step("venv", Message("plan.step-venv")),
        install,
        *((Step("hook", Message("plan.step-hook")),) if needs_hook(alignment) else ()),
        Step("record", Message("plan.step-record")),
        Step("move", Message("plan.step-move", {"env": env})),
        Step("prove", Message("plan.step-prove")),
    )


def cost(of: tuple[Step, ...]) -> tuple[int | None, int | None]:
    """Return the megabytes to download and the megabytes on disk, None where a step does not know."""
    return _total([s.download_mb for s in of]), _total([s.disk_mb for s in of])


def _total(parts: list[int | None]) -> int | None:
    return None if None in parts else sum(part or 0 for part in parts)
