"""From the child's answers and its ending to a proof. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from trueup.proof.model import LEAST_ACCURACY, Agreement, Outcome, Placement, Proof
from trueup.proof.watch import name_of

if TYPE_CHECKING:
    from trueup.proof.model import Data, Expected
    from trueup.proof.watch import Ending

STOPPED = {
    "not-installed": Outcome.NOT_INSTALLED,
    "import-error": Outcome.IMPORT_ERROR,
    "no-gpu": Outcome.CPU_FALLBACK,
    "no-data": Outcome.NO_DATA,
    "failed": Outcome.FAILED,
    "out-of-memory": Outcome.FAILED,
    "bad-model": Outcome.FAILED,
}
CPU = "CPU:"


@dataclass
class Told:
    """The answers so far, in order, by event."""

    by_event: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, answer: dict[str, Any]) -> None:
        self.by_event.setdefault(answer["event"], []).append(answer)

    def all(self, event: str) -> list[dict[str, Any]]:
        return self.by_event.get(event, [])

    def one(self, event: str) -> dict[str, Any]:
        answers = self.all(event)
        return answers[-1] if answers else {}


def judge(told: Told, ending: Ending, expected: Expected, framework: str, data: Data) -> Proof:
    measured = _measured(told, ending, expected, framework, data)
    if ending.no_start is not None:
        return replace(measured, outcome=Outcome.NO_START, words=ending.no_start)
    if ending.garbage is not None:
        return replace(measured, outcome=Outcome.UNREADABLE, words=ending.garbage)
    if ending.silent_for is not None:
        return replace(measured, outcome=Outcome.HUNG, waited=ending.silent_for)
    stopped = told.one("stopped")
    if stopped:
        return replace(measured, outcome=STOPPED[stopped["kind"]], words=stopped["text"] or None)
    if not told.all("done"):
        return replace(measured, outcome=Outcome.CRASHED, ending=name_of(ending.status or 0))
    return replace(measured, outcome=_outcome(measured))


def _outcome(proof: Proof) -> Outcome:
    """Return what a course that went to its end has shown."""
    if proof.placement is None or proof.accuracy is None or not proof.epochs:
        return Outcome.UNREADABLE
    if proof.expected != "cpu":
        if fell_back(proof.placement):
            return Outcome.CPU_FALLBACK
        if not proof.agreement:
            return Outcome.UNREADABLE
        if not all(a.holds for a in proof.agreement):
            return Outcome.DISAGREES
    return Outcome.PROVEN if proof.accuracy >= LEAST_ACCURACY else Outcome.INACCURATE


def fell_back(placement: Placement) -> bool:
    """Tell whether anything of the network was on the CPU, or nothing was said of where it was."""
    places = (*placement.variables, *placement.results, *(k.rpartition(" on ")[2] for k in placement.kernels))
    named = placement.variables and placement.results
    return not named or any(place.startswith(CPU) or not place for place in places)


def _measured(told: Told, ending: Ending, expected: Expected, framework: str, data: Data) -> Proof:
    devices, placement = told.one("devices"), told.one("placement")
    epochs = [(e["device"], float(e["seconds"])) for e in told.all("epoch")]
    announced = epochs[0][0] if epochs else ""
    return Proof(
        outcome=Outcome.CRASHED,
        expected=expected,
        framework=framework,
        phase=ending.phase,
        seconds=round(ending.seconds, 2),
        python=told.one("python").get("version"),
        versions=told.one("versions").get("versions", {}),
        gpus=tuple(devices.get("gpus", ())),
        build=devices.get("build", {}),
        hidden=devices.get("hidden"),
        data=data,
        pictures=told.one("data").get("train"),
        tested=told.one("data").get("test"),
        placement=_placement(placement) if placement else None,
        accuracy=told.one("accuracy").get("accuracy"),
        epochs=tuple(seconds for device, seconds in epochs if device == announced),
        cpu_epoch=next((seconds for device, seconds in epochs if device != announced), None),
        agreement=tuple(Agreement(a["operation"], a["error"], a["tolerance"]) for a in told.all("agreement")),
        peak_mb=told.one("memory").get("peak_mb"),
        last_lines=ending.last_lines,
    )


def _placement(answer: dict[str, Any]) -> Placement:
    return Placement(tuple(answer["variables"]), tuple(answer["results"]), tuple(answer["kernels"]))
