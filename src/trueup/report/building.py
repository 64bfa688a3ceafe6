"""A build's events as progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report.progress import megabytes
from trueup.report.say import say
from trueup.setup.events import Event, Finished, Note, Progress, Started
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.plan.steps import Step
    from trueup.report import progress


class Building:
    """Shows the events of `setup.build` on a progress view."""

    def __init__(self, view: progress.Progress, steps: Iterable[Step], lang: str) -> None:
        self._view = view
        self._labels = {step.id: say(step.text, lang) for step in steps}
        self._lang = lang

    def show(self, event: Event) -> None:
        match event:
            case Started(step):
                self._view.start(self._labels[step])
            case Progress(_, done, total):
                self._view.advance(done, total, f"{megabytes(done)} / {megabytes(total)}")
            case Finished(_, seconds, reused):
                code = "up.step-reused" if reused else "up.step-done"
                self._view.end(say(Message(code, {"seconds": f"{seconds:.1f}"}), self._lang))
            case Note(text):
                self._view.line(say(text, self._lang))
