"""A training proof in words and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from trueup.proof.model import LEAST_ACCURACY, Outcome
from trueup.report.say import say
from trueup.values import Message, Param

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.proof.model import Event, Proof
    from trueup.report.progress import Progress

SCHEMA: Final = "trueup.verify/1"
POINTS: Final = 120  # of a course, enough for a plot
NAMES: Final = {"tensorflow": "TensorFlow", "torch": "PyTorch", "jax": "JAX"}


def verdict(proof: Proof, lang: str) -> str:
    """Return the one sentence."""
    return say(Message(f"proof.{_verdict(proof)}", _params(proof, lang)), lang)


def hint(proof: Proof, lang: str) -> str | None:
    """Return the next step of a proof that did not pass."""
    if proof.outcome is Outcome.PROVEN:
        return None
    if proof.outcome is Outcome.CPU_FALLBACK and not proof.gpus and proof.hidden is not None:
        return say(Message("proof.hint-hidden", {"value": proof.hidden}), lang)
    return say(Message(f"proof.hint-{proof.outcome.value}", {"framework": proof.framework}), lang)


def as_text(proof: Proof, lang: str) -> str:
    """Return the verdict, what was measured, and for a failure the last lines and the next step."""
    lines = [verdict(proof, lang), *(f"  {line}" for line in measured(proof, lang))]
    if proof.outcome is Outcome.PROVEN:
        return "\n".join(lines)
    if proof.last_lines:
        lines.append(f"  {say(Message('proof.last-lines'), lang)}")
        lines += [f"  | {line}" for line in proof.last_lines]
    return "\n".join([*lines, "", say(Message("cli.hint", {"text": hint(proof, lang) or ""}), lang)])


def as_data(proof: Proof, lang: str) -> dict[str, Any]:
    """Return the answer of `trueup verify --json`."""
    placement = proof.placement
    return {
        "schema": SCHEMA,
        "outcome": proof.outcome.value,
        "text": verdict(proof, lang),
        "hint": hint(proof, lang),
        "date": proof.date,
        "expected": proof.expected,
        "framework": proof.framework,
        "phase": proof.phase,
        "seconds": proof.seconds,
        "python": proof.python,
        "versions": dict(proof.versions),
        "build": dict(proof.build),
        "gpus": list(proof.gpus),
        "placement": placement
        and {
            "variables": list(placement.variables),
            "results": list(placement.results),
            "kernels": list(placement.kernels),
        },
        "data": proof.data,
        "pictures": proof.pictures,
        "accuracy": proof.accuracy,
        "least_accuracy": LEAST_ACCURACY,
        "epoch_seconds": list(proof.epochs),
        "cpu_epoch_seconds": proof.cpu_epoch,
        "speedup": None if proof.speedup is None else round(proof.speedup, 2),
        "agreement": [
            {"operation": a.operation, "error": _finite(a.error), "tolerance": a.tolerance, "holds": a.holds}
            for a in proof.agreement
        ],
        "peak_memory_mb": proof.peak_mb,
        "ending": proof.ending,
        "error": proof.words,
        "last_lines": list(proof.last_lines),
    }


def measured(proof: Proof, lang: str) -> Iterator[str]:
    """Yield a line for each thing that was measured, as far as the proof came."""
    if proof.versions:
        named = [f"{NAMES.get(k, k)} {v}" for k, v in proof.versions.items() if v]
        yield ", ".join([*named, f"Python {proof.python}"])
    for name, params in _measures(proof):
        yield say(Message(f"proof.{name}", params), lang)


def _measures(proof: Proof) -> Iterator[tuple[str, dict[str, Param]]]:
    if proof.accuracy is not None and proof.tested is not None:
        learned: dict[str, Param] = {
            "accuracy": f"{proof.accuracy:.3f}",
            "test": proof.tested,
            "least": LEAST_ACCURACY,
        }
        yield f"learned-{proof.data}", learned
    if proof.placement is not None:
        places = proof.placement
        variables, kernels = ", ".join(places.variables), ", ".join(places.kernels)
        results = ", ".join(places.results)
        yield (
            ("places" if kernels else "places-results"),
            {
                "variables": variables,
                "kernels": kernels,
                "results": results,
            },
        )
    if proof.epochs:
        yield "seconds", {"seconds": ", ".join(f"{s:.2f}" for s in proof.epochs)}
    if proof.cpu_epoch is not None and proof.speedup is not None:
        yield "speedup", {"cpu": f"{proof.cpu_epoch:.2f}", "times": f"{proof.speedup:.1f}"}
    if proof.agreement and all(a.holds for a in proof.agreement):
        errors = ", ".join(f"{a.operation} {a.error:.1e}" for a in proof.agreement)
        yield "agreement", {"errors": errors, "tolerance": f"{proof.agreement[0].tolerance:.0e}"}
    if proof.peak_mb is not None:
        yield "memory", {"megabytes": f"{proof.peak_mb:.0f}"}


class Training:
    """Shows the events of a proof on a view, and keeps the course of the training; `show` is the proof's `on_event`."""

    def __init__(self, view: Progress, lang: str, framework: str = "tensorflow") -> None:
        self._view = view
        self._lang = lang
        self._framework = framework
        self._course: list[dict[str, Any]] = []

    def course(self) -> list[dict[str, Any]]:
        """Return loss and accuracy by step of the training that was announced, evenly thinned."""
        every = -(-len(self._course) // POINTS) or 1
        return [*self._course[:-1:every], *self._course[-1:]]

    def show(self, event: Event) -> None:
        if not event.step:
            self._view.start(_phase(event.phase, self._framework, self._lang))
            return
        done, total = (event.epoch - 1) * event.steps + event.step, event.epochs * event.steps
        if event.phase == "train" and event.loss is not None and event.accuracy is not None:
            self._course.append(
                {"step": done, "loss": _finite(event.loss), "accuracy": _finite(event.accuracy)}
            )
        accuracy = f"{event.accuracy or 0:.3f}"
        detail: dict[str, Param] = {"epoch": event.epoch, "epochs": event.epochs, "accuracy": accuracy}
        self._view.advance(done, total, say(Message("proof.epoch", detail), self._lang))


def _phase(phase: str, framework: str, lang: str) -> str:
    return say(Message(f"proof.phase-{phase}", {"framework": NAMES.get(framework, framework)}), lang)


def _verdict(proof: Proof) -> str:
    if proof.outcome is Outcome.PROVEN:
        return f"proven-{proof.expected}"
    if proof.outcome is Outcome.CPU_FALLBACK:
        return "cpu-fallback-placed" if proof.placement else "cpu-fallback-none"
    return str(proof.outcome.value)


def _params(proof: Proof, lang: str) -> dict[str, Param]:
    worst = [a for a in proof.agreement if not a.holds]
    placement = proof.placement
    places = (*placement.variables, *placement.results, *placement.kernels) if placement else ()
    return {
        "framework": NAMES.get(proof.framework, proof.framework),
        "gpus": ", ".join(proof.gpus),
        "places": ", ".join(sorted({place for place in places if "CPU:" in place})) or "?",
        "accuracy": f"{proof.accuracy or 0:.3f}",
        "least": LEAST_ACCURACY,
        "operations": ", ".join(a.operation for a in worst),
        "error": f"{worst[0].error:.1e}" if worst else "",
        "tolerance": f"{worst[0].tolerance:.0e}" if worst else "",
        "phase": _phase(proof.phase, proof.framework, lang),
        "words": _first_line(proof.words or ""),
        "ending": proof.ending or "",
        "seconds": f"{proof.waited or 0:.0f}",
    }


def _first_line(words: str) -> str:
    """Return the start of somebody else's words; the rest is among the last lines. "@" would name a message."""
    return next(iter(words.strip().lstrip("@").splitlines()), "")


def _finite(value: float) -> float | None:
    """Return a number that JSON can hold."""
    return value if abs(value) < float("inf") else None
