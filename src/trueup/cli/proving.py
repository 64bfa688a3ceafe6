"""Run the proofs and show their progress; shared by `up` and `verify`."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.cli import remember
from trueup.proof import closure
from trueup.proof.model import COURSES, Timeouts
from trueup.proof.train import prove as train
from trueup.report import closure as closed_words
from trueup.report.progress import progress
from trueup.report.proof import Training, as_data, as_text
from trueup.setup.record import read, site_packages
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.machine.model import Machine
    from trueup.proof.model import Data, Expected


@dataclass(frozen=True, slots=True)
class Shown:
    """A proof as an exit status, text and data."""

    status: int
    text: str
    data: dict[str, Any]


def announced(env: Path) -> tuple[str, Timeouts]:
    """Return what to train with and how long to wait, by the environment's record; TensorFlow where it has none."""
    record = read(env)
    if record is None:
        return COURSES[0], Timeouts()
    names = [str(build["framework"]) for build in record.alignment.get("builds", ())]
    known = [name for name in names if name in COURSES]
    if names and not known:
        params = {"frameworks": ", ".join(names), "known": ", ".join(COURSES)}
        raise TrueupError(Message("verify.no-course", params), Message("verify.no-course-hint", params))
    return (known or [*COURSES])[0], Timeouts.where(str(record.alignment.get("kernels", "none")))


def close(session: Session, env: Path, machine: Machine) -> Shown | None:
    """Prove that the libraries of a finished environment are closed; None where its wheels bring no CUDA."""
    record = read(env)
    target = closure.target_of_record(record.alignment, record.python, machine) if record else None
    if target is None:
        return None
    begin = time.perf_counter()
    report = closure.prove(closure.environment(site_packages(env)), target)
    seconds = round(time.perf_counter() - begin, 2)
    data = closed_words.as_data(report, session.lang) | {"seconds": seconds}
    return Shown(0 if report.closed else 1, closed_words.as_text(report, session.lang), data)


def prove(session: Session, python: Path, device: Expected, *, quiet: bool, data: Data = "drawn") -> Shown:
    framework, timeouts = announced(python.parent.parent)
    view = progress(session.talk, quiet=quiet)
    watched = Training(view, session.lang, framework)
    try:
        proof = train(
            python, device, data=data, on_event=watched.show, framework=framework, timeouts=timeouts
        )
    finally:
        view.close()
    told = as_data(proof, session.lang) | {"course": watched.course()}
    shown = Shown(proof.exit_status, as_text(proof, session.lang), told)
    remember.proven(session, python, shown.data)
    return shown
