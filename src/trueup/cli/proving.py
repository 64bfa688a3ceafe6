"""Run the training proof and show its progress; shared by `up` and `verify`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.proof.train import prove as train
from trueup.report.progress import progress
from trueup.report.proof import Training, as_data, as_text

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.proof.model import Data, Expected


@dataclass(frozen=True, slots=True)
class Shown:
    """A proof as an exit status, text and data."""

    status: int
    text: str
    data: dict[str, Any]


def prove(session: Session, python: Path, device: Expected, *, quiet: bool, data: Data = "drawn") -> Shown:
    view = progress(session.talk, quiet=quiet)
    try:
        proof = train(python, device, data=data, on_event=Training(view, session.lang).show)
    finally:
        view.close()
    return Shown(proof.exit_status, as_text(proof, session.lang), as_data(proof, session.lang))
