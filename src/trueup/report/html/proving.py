"""The proof: what was trained, how it went, how long it took."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from trueup.report.html.charts import Line, bar_chart, line_chart
from trueup.report.html.markup import Html, Part, el, section, table, words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DEVICES = {"gpu": "device-gpu", "cpu": "device-cpu", "directml": "device-directml"}


def proving(proof: Mapping[str, Any] | None) -> Html:
    parts = [el("p", words("no-proof"))] if proof is None else list(_parts(proof))
    return section("proof", words("h-proof"), *parts)


def _parts(proof: Mapping[str, Any]) -> Iterator[Html]:
    outcome = "proven" if proof.get("outcome") == "proven" else "not-proven"
    yield el("p", words(f"proof-{outcome}", outcome=str(proof.get("outcome"))), class_="lead")
    if proof.get("text"):
        yield el("p", str(proof["text"]), class_="quote")
    yield table([words("what"), words("value")], _rows(proof), words("proof-caption"))
    yield from _course(proof)
    yield from _seconds(proof)
    if proof.get("last_lines"):
        yield el("h3", words("last-lines"))
        yield el("pre", el("code", "\n".join(map(str, proof["last_lines"]))))


def _rows(proof: Mapping[str, Any]) -> Iterator[tuple[Part, Part]]:
    yield words("date"), str(proof.get("date", ""))
    device = DEVICES.get(str(proof.get("expected")))
    if device:
        yield words("device"), words(device)
    if proof.get("gpus"):
        yield words("cards"), ", ".join(map(str, proof["gpus"]))
    versions = {**_named(proof.get("versions")), "Python": proof.get("python")}
    yield words("versions"), ", ".join(f"{name} {value}" for name, value in versions.items() if value)
    if proof.get("accuracy") is not None:
        yield words("accuracy"), f"{proof['accuracy']:.3f}"
    if proof.get("speedup") is not None:
        yield words("speedup"), f"× {proof['speedup']:.1f}"
    if proof.get("peak_memory_mb") is not None:
        yield words("peak"), f"{proof['peak_memory_mb']:.0f} MB"


def _named(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _course(proof: Mapping[str, Any]) -> Iterator[Html]:
    course = [one for one in proof.get("course") or () if isinstance(one, dict) and "step" in one]
    if not course:
        yield el("p", words("no-course"))
        return
    for name, most in (("loss", None), ("accuracy", 1.0)):
        points = [(float(one["step"]), one.get(name)) for one in course]
        line = Line(words(name), points)
        yield line_chart(f"proof-{name}", words(f"chart-{name}"), [line], words("step"), least=0.0, most=most)


def _seconds(proof: Mapping[str, Any]) -> Iterator[Html]:
    epochs = [float(value) for value in proof.get("epoch_seconds") or ()]
    if not epochs:
        return
    where = DEVICES.get(str(proof.get("expected")), "device-gpu")
    bars: list[tuple[Part, float, str]] = [
        (words(f"epoch-{where}", number=number), value, "first") for number, value in enumerate(epochs, 1)
    ]
    if proof.get("cpu_epoch_seconds") is not None:
        bars.append((words("epoch-cpu"), float(proof["cpu_epoch_seconds"]), "second"))
    yield bar_chart("proof-seconds", words("chart-seconds"), bars, words("seconds"))
