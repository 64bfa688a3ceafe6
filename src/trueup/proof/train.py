"""Proof by training: the network of the guides learns in a child process of the environment's own Python."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.proof.judge import Told, judge
from trueup.proof.model import Event, Timeouts, silent
from trueup.proof.watch import watch
from trueup.setup.scratch import scratch

if TYPE_CHECKING:
    from trueup.proof.model import Data, Expected, OnEvent, Proof

CHILD = Path(__file__).with_name("child")
EPOCHS = 3


def prove(
    python: Path,
    expected: Expected,
    *,
    data: Data = "drawn",
    timeouts: Timeouts | None = None,
    on_event: OnEvent = silent,
    framework: str = "tensorflow",
    child: Path = CHILD,
) -> Proof:
    """Train with an interpreter's framework and return what was shown.

    Every way that this can go wrong is an answer. `child` is the script or package that is run.
    """
    told = Told()

    def hear(answer: dict[str, Any]) -> None:
        if answer["event"] == "step":
            values = {k: v for k, v in answer.items() if k != "event"}
            on_event(Event(told.one("phase").get("phase", "train"), **values))
            return
        told.add(answer)
        if answer["event"] == "phase":
            on_event(Event(answer["phase"]))

    with scratch("proof") as folder:
        question = [str(folder / "answers"), expected, data, str(EPOCHS), framework]
        # Not resolved: a venv's interpreter is a link, and its name is what makes it that of the venv.
        command = [str(python.absolute()), str(child), *question]
        ending = watch(command, folder, timeouts or Timeouts(), hear)
    date = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return replace(judge(told, ending, expected, framework, data), date=date)
