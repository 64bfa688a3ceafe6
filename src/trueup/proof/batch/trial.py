"""Runs one batch in a child of the environment's own Python."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from trueup.proof.batch.model import Trial
from trueup.proof.bench.measure import how_it_ended
from trueup.proof.judge import Told
from trueup.proof.model import Outcome, Timeouts
from trueup.proof.train import CHILD
from trueup.proof.watch import watch
from trueup.setup.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trueup.proof.batch.model import Options
    from trueup.proof.model import Expected
    from trueup.proof.watch import Ending

LEAST = 30.0  # seconds that a trial's steps are waited for in any case
SLOW = 20.0  # seconds a step: a larger one would measure the patience of the user


@dataclass(frozen=True, slots=True)
class Trials:
    """`taken` tells the memory of the card that was taken since it was last asked, by its driver; None: unknown."""

    python: Path
    expected: Expected
    framework: str
    timeouts: Timeouts = field(default_factory=Timeouts)
    taken: Callable[[], float | None] = lambda: None
    child: Path = CHILD
    ends: float | None = None  # on the monotonic clock: a trial that is not done then is too slow

    def run(self, options: Options) -> Trial:
        told = Told()
        self.taken()  # what was before is not of this trial
        with scratch("batch") as folder:
            question = ["trial", str(folder / "answers"), self.expected, json.dumps(asdict(options))]
            # Not resolved: a venv's interpreter is a link, and its name is what makes it that of the venv.
            command = [str(self.python.absolute()), str(self.child), *question, self.framework]
            ending = watch(command, folder, self._limits(), told.add)
        return replace(_trial(options, told, ending), taken_mb=self.taken())

    def _limits(self) -> Timeouts:
        if self.ends is None:
            return self.timeouts
        left = max(LEAST, self.ends - time.monotonic())
        return replace(self.timeouts, measure=min(self.timeouts.measure, left))


def _trial(options: Options, told: Told, ending: Ending) -> Trial:
    outcome, ended, words = how_it_ended(told, ending)
    base = Trial(
        options,
        "failed",
        words=words or ended,
        outcome=outcome,
        last_lines=ending.last_lines,
        gpus=tuple(told.one("devices").get("gpus", ())),
        versions=told.one("versions").get("versions", {}),
    )
    if told.one("stopped").get("kind") == "out-of-memory":
        return replace(base, ending="out-of-memory", outcome=None)
    if outcome is Outcome.CRASHED and ending.phase == "measure":
        return replace(base, ending="crashed")  # an allocation that fails deep in a library ends the process
    if outcome is Outcome.HUNG and ending.phase == "measure":
        return replace(base, ending="slow", outcome=None)
    answer = told.one("trial")
    if outcome is not Outcome.PROVEN or not answer.get("seconds") or min(answer["seconds"]) <= 0:
        return replace(base, outcome=Outcome.UNREADABLE if outcome is Outcome.PROVEN else outcome)
    seconds = tuple(answer["seconds"])
    return replace(
        base,
        ending="slow" if min(seconds) > SLOW else "fits",
        outcome=None,
        seconds=seconds,
        peak_mb=answer["peak_mb"],
        detail=answer["detail"],
    )
