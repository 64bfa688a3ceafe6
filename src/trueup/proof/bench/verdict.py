"""Figures against what the card can do: as expected, or how far below, and why. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.proof.bench.causes import of_copy, of_memory, of_product
from trueup.values import Message

if TYPE_CHECKING:
    from trueup.proof.bench.model import Bench, Conditions, Figure, Limits

Grade = Literal["as-expected", "below", "half", "far-below", "no-limit", "unjudged"]
ORDER: tuple[Grade, ...] = ("far-below", "half", "below", "no-limit", "as-expected", "unjudged")

# Shares of a limit. A library's matrix product reaches 65 to 95 % of the peak in FP32 and 55 to 90 % on matrix
# units; a plain copy in a card's memory reaches 75 to 95 % of its bandwidth.
GOOD = {"fp32": 0.6, "tf32": 0.55, "fp16": 0.55, "bf16": 0.55, "memory": 0.65}
# Of the card's own link: pinned memory fills it, pageable memory is copied twice.
GOOD_COPY = {"pinned": 0.65, "pageable": 0.2}
GOOD_CPU = 0.6  # of numpy's own product on the same processor
BELOW, HALF = 0.75, 0.45  # of what is good: "below" down to here, "half" down to here
LANES = {1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563}  # GB/s a lane, one way


@dataclass(frozen=True, slots=True)
class Judgement:
    """`limit`: units a second that are possible at most, where known; `share` of it that was reached."""

    figure: str
    grade: Grade
    limit: float | None = None
    share: float | None = None
    reasons: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    grade: Grade
    judgements: tuple[Judgement, ...]
    notes: tuple[Message, ...] = ()

    def of(self, figure: str) -> Judgement | None:
        return next((one for one in self.judgements if one.figure == figure), None)

    @property
    def worst(self) -> Judgement | None:
        graded = [one for one in self.judgements if one.grade != "unjudged"]
        return min(graded, key=lambda one: (ORDER.index(one.grade), one.share or 1.0)) if graded else None


def judge(bench: Bench, limits: Limits | None, seen: Conditions) -> Verdict:
    judgements = tuple(_one(figure, bench, limits, seen) for figure in bench.figures)
    verdict = Verdict("unjudged", judgements, tuple(_notes(bench, limits, seen)))
    worst = verdict.worst
    return Verdict(worst.grade if worst else "unjudged", judgements, verdict.notes)


def _one(figure: Figure, bench: Bench, limits: Limits | None, seen: Conditions) -> Judgement:
    kind, _, rest = figure.name.partition("-")
    if kind == "matmul" and rest != "numpy":
        if bench.expected == "cpu":
            return _on_processor(figure, rest, bench, seen)
        limit = limits.tflops.get(rest) if limits else None
        return _against(
            figure, limit and limit * 1e12, GOOD[rest], of_product(figure, rest, bench, limits, seen)
        )
    if kind == "memory" and bench.expected != "cpu":
        limit = limits.bandwidth_gbs if limits else None
        return _against(figure, limit and limit * 1e9, GOOD["memory"], of_memory(seen))
    if kind == "copy":
        good = GOOD_COPY[rest.rpartition("-")[2]]
        return _against(figure, _link(seen.gen_max, seen.width_max), good, of_copy(rest, seen))
    return Judgement(figure.name, "unjudged")


def _against(figure: Figure, limit: float | None, good: float, reasons: tuple[Message, ...]) -> Judgement:
    if not limit:
        return Judgement(figure.name, "no-limit")
    share = figure.rate / limit
    grade = _grade(share / good)
    told = () if grade == "as-expected" else reasons or (Message("bench.because-unknown"),)
    return Judgement(figure.name, grade, limit, share, told)


def _grade(part: float) -> Grade:
    if part >= 1:
        return "as-expected"
    return "below" if part >= BELOW else "half" if part >= HALF else "far-below"


def _on_processor(figure: Figure, form: str, bench: Bench, seen: Conditions) -> Judgement:
    """Judge FP32 by numpy's product of the same size; formats that a processor may emulate are only told."""
    plain = bench.of("matmul-numpy")
    if form != "fp32" or plain is None or figure.detail.get("side") != plain.detail.get("side"):
        return Judgement(figure.name, "unjudged")
    busy = max(figure.spread, plain.spread) > NOISE or (seen.host_busy or 0.0) >= BUSY
    reasons = (Message("bench.because-noise"),) if busy else ()
    return _against(figure, plain.rate, GOOD_CPU, reasons or (Message("bench.because-cpu-build"),))


BUSY = 0.2  # of the processor, before anything of ours ran
NOISE = 0.25  # of the median: more, and something else was at work


def _link(gen: float | None, width: float | None) -> float | None:
    if gen is None or width is None or int(gen) not in LANES:
        return None
    return LANES[int(gen)] * width * 1e9


def _notes(bench: Bench, limits: Limits | None, seen: Conditions) -> list[Message]:
    notes = []
    noisy = [one.name for one in bench.figures if one.spread > NOISE]
    if noisy:
        notes.append(Message("bench.note-noisy", {"count": len(noisy), "all": len(bench.figures)}))
    if bench.expected != "cpu" and bench.tf32_default == "off" and bench.of("matmul-tf32"):
        notes.append(Message("bench.note-tf32-off"))
    if limits and limits.laptop:
        notes.append(Message("bench.note-laptop", {"watts": f"{limits.power_w or 0:.0f}"}))
    if bench.expected != "cpu" and seen.samples == 0:
        notes.append(Message("bench.note-no-samples"))
    if seen.host_busy is not None and seen.host_busy >= BUSY:
        notes.append(Message("bench.note-busy", {"share": f"{100 * seen.host_busy:.0f}"}))
    return notes
