"""Why a figure is below what the card can do, from what was seen while it worked. Most certain first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.values import Message

if TYPE_CHECKING:
    from trueup.proof.bench.model import Bench, Conditions, Figure, Limits

LOW_CLOCK = 0.8  # of the top: boost alone moves it by less
HOT, CAPPED = 0.3, 0.5  # of the samples under load
OTHERS = 0.1
SAME = 1.25  # TF32 and FP16 that are no faster than this over FP32 did not use the matrix units
SMALL = 2048  # a smaller product does not fill a large card


def of_product(
    figure: Figure, form: str, bench: Bench, limits: Limits | None, seen: Conditions
) -> tuple[Message, ...]:
    return (*_units(figure, form, bench, limits), *_clocks(limits, seen), *_surroundings(figure, seen))


def _units(figure: Figure, form: str, bench: Bench, limits: Limits | None) -> list[Message]:
    """Tell where a format of the matrix units was no faster than FP32: then they were not used."""
    plain = bench.of("matmul-fp32")
    if form == "fp32" or plain is None or figure.rate > SAME * plain.rate:
        return []
    peaks = limits.tflops if limits else {}
    possible, usual = peaks.get(form), peaks.get("fp32")
    if possible is None or usual is None or possible < SAME * usual:
        return []  # a card whose peak is that of FP32, such as GeForce in TF32
    return [Message("bench.because-tf32-off" if form == "tf32" else "bench.because-no-matrix-units")]


def _clocks(limits: Limits | None, seen: Conditions) -> list[Message]:
    found = []
    clock = f"{100 * seen.clock:.0f}" if seen.clock is not None else None
    low = seen.clock is not None and seen.clock < LOW_CLOCK
    if seen.hot is not None and seen.hot >= HOT:
        found.append(Message("bench.because-heat", {"share": f"{100 * seen.hot:.0f}", "clock": clock or "?"}))
    if seen.capped is not None and seen.capped >= CAPPED and low:
        watts = {"limit": _whole(seen.power_limit_w), "own": _whole(limits.power_w if limits else None)}
        found.append(Message("bench.because-power", {"clock": clock or "?", **watts}))
    if seen.plugged is False:
        found.append(Message("bench.because-battery"))
    if low and not found:
        found.append(Message("bench.because-clock", {"clock": clock or "?"}))
    return found


def _surroundings(figure: Figure, seen: Conditions) -> list[Message]:
    found = []
    if seen.others is not None and seen.others >= OTHERS:
        found.append(Message("bench.because-others", {"share": f"{100 * seen.others:.0f}"}))
    side = int(figure.detail.get("side", SMALL))
    if side < SMALL:
        found.append(Message("bench.because-small", {"side": side}))
    return found


def _whole(value: float | None) -> str:
    return "?" if value is None else f"{value:.0f}"


def of_memory(seen: Conditions) -> tuple[Message, ...]:
    found = []
    if seen.memory_clock is not None and seen.memory_clock < LOW_CLOCK:
        found.append(Message("bench.because-memory-clock", {"clock": f"{100 * seen.memory_clock:.0f}"}))
    if seen.others is not None and seen.others >= OTHERS:
        found.append(Message("bench.because-others", {"share": f"{100 * seen.others:.0f}"}))
    if seen.plugged is False:
        found.append(Message("bench.because-battery"))
    return tuple(found)


def of_copy(name: str, seen: Conditions) -> tuple[Message, ...]:
    found = []
    if _narrow(seen):
        link = {"gen": _whole(seen.gen), "width": _whole(seen.width)}
        most = {"gen_max": _whole(seen.gen_max), "width_max": _whole(seen.width_max)}
        found.append(Message("bench.because-link", {**link, **most}))
    if name.endswith("pageable"):
        found.append(Message("bench.because-pageable"))
    return tuple(found)


def _narrow(seen: Conditions) -> bool:
    """Tell whether the link under load is below the card's own; at rest it falls back by itself."""
    if seen.width is not None and seen.width_max is not None and seen.width < seen.width_max:
        return True
    return seen.gen is not None and seen.gen_max is not None and seen.gen < seen.gen_max
