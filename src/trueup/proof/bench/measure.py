"""Runs the bench in a child of the environment's own Python; every way that it can end is an answer."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from trueup.proof.bench.model import Bench, Figure, PassedOver
from trueup.proof.judge import STOPPED, Told
from trueup.proof.model import Outcome, Timeouts
from trueup.proof.train import CHILD
from trueup.proof.watch import name_of, watch
from trueup.setup.scratch import scratch

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from trueup.proof.model import Expected, Phase
    from trueup.proof.watch import Ending

SECONDS = 60.0


def measure(
    python: Path,
    expected: Expected,
    *,
    framework: str = "tensorflow",
    seconds: float = SECONDS,
    timeouts: Timeouts | None = None,
    on_step: Callable[[Phase, str], None] = lambda *_: None,
    child: Path = CHILD,
) -> Bench:
    """Measure with an interpreter's framework. `on_step` hears each phase, and each figure as it begins."""
    told = Told()

    def hear(answer: dict[str, Any]) -> None:
        told.add(answer)
        if answer["event"] == "phase":
            on_step(answer["phase"], "")
        elif answer["event"] == "begin":
            on_step("measure", answer["name"])

    with scratch("bench") as folder:
        question = ["bench", str(folder / "answers"), expected, str(seconds), framework]
        # Not resolved: a venv's interpreter is a link, and its name is what makes it that of the venv.
        command = [str(python.absolute()), str(child), *question]
        ending = watch(command, folder, timeouts or Timeouts(), hear)
    return _answer(told, ending, expected, framework)


def _answer(told: Told, ending: Ending, expected: Expected, framework: str) -> Bench:
    devices = told.one("devices")
    outcome, ended, words = how_it_ended(told, ending)
    figures = tuple(
        Figure(a["name"], a["unit"], float(a["amount"]), tuple(a["seconds"]), a["detail"])
        for a in told.all("figure")
        if a["seconds"] and a["amount"] > 0 and min(a["seconds"]) > 0
    )
    settings = {a["name"]: a["value"] for a in told.all("setting")}
    return Bench(
        outcome=outcome if figures or outcome is not Outcome.PROVEN else Outcome.UNREADABLE,
        expected=expected,
        framework=framework,
        phase=ending.phase,
        seconds=round(ending.seconds, 1),
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
        python=told.one("python").get("version"),
        versions=told.one("versions").get("versions", {}),
        gpus=tuple(devices.get("gpus", ())),
        build=devices.get("build", {}),
        hidden=devices.get("hidden"),
        tf32_default=settings.get("tf32"),
        figures=figures,
        passed_over=tuple(PassedOver(a["name"], a["kind"], a["text"]) for a in told.all("passed-over")),
        during=None if outcome is Outcome.PROVEN else told.one("begin").get("name"),
        ending=ended,
        words=words,
        last_lines=ending.last_lines,
        waited=ending.silent_for,
    )


def how_it_ended(told: Told, ending: Ending) -> tuple[Outcome, str | None, str | None]:
    """Return the outcome, a name for a process' sudden end, and the error's own words."""
    if ending.no_start is not None:
        return Outcome.NO_START, None, ending.no_start
    if ending.garbage is not None:
        return Outcome.UNREADABLE, None, ending.garbage
    if ending.silent_for is not None:
        return Outcome.HUNG, None, None
    stopped = told.one("stopped")
    if stopped:
        return STOPPED[stopped["kind"]], None, stopped["text"] or None
    if not told.all("done"):
        return Outcome.CRASHED, name_of(ending.status or 0), None
    return Outcome.PROVEN, None, None
