"""The bench's child in all its endings, its verdicts on simulated figures, and two benches side by side."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.proof.bench import Bench, Conditions, Figure, Limits, Verdict, compare, judge, measure
from trueup.proof.bench.compare import Value
from trueup.proof.model import Outcome, Timeouts

FAKE = Path(__file__).with_name("bench_child.py")
# An RTX 3070, whose matrix units sum in FP32 at twice the rate of its FP32 units.
CARD = Limits("NVIDIA GeForce RTX 3070", {"fp32": 20.3, "tf32": 20.3, "fp16": 40.6, "bf16": 40.6}, 448.0, 220)
A100 = Limits("NVIDIA A100", {"fp32": 19.5, "tf32": 156, "fp16": 312, "bf16": 312}, 1560.0, 400)
CALM = Conditions(
    clock=0.95, memory_clock=1.0, hot=0.0, capped=0.2, gen=4, width=16, gen_max=4, width_max=16, samples=20
)


def run(case: str, silence: float = 60.0) -> Bench:
    limits = replace(Timeouts(), measure=silence)
    return measure(Path(sys.executable), "gpu", framework=case, timeouts=limits, child=FAKE)


def figure(name: str, rate: float, spread: float = 0.02, **detail: str) -> Figure:
    unit = "flop" if name.startswith(("matmul", "conv")) else "byte"
    middle = 1.0
    return Figure(
        name,
        unit,
        rate,
        (middle - spread, middle - spread / 2, middle, middle + spread / 2, middle + spread),
        detail,
    )


def verdict(limits: Limits | None, seen: Conditions, **rates: float) -> Verdict:
    """Judge figures by name: `matmul_fp32` in TFLOP/s, `memory` and `copy_to_pinned` in GB/s."""
    figures = tuple(
        figure(name.replace("_", "-"), rate * (1e12 if name.startswith("matmul") else 1e9))
        for name, rate in rates.items()
    )
    bench = Bench(Outcome.PROVEN, "gpu", "tensorflow", "measure", 30.0, gpus=("Card (8.6)",), figures=figures)
    return judge(bench, limits, seen)


def reasons(told: Verdict, name: str) -> list[str]:
    judged = told.of(name)
    assert judged is not None
    return [reason.code for reason in judged.reasons]


@pytest.mark.parametrize(
    ("case", "outcome", "during"),
    [
        ("good", Outcome.PROVEN, None),
        ("skips", Outcome.PROVEN, None),
        ("zero", Outcome.PROVEN, None),
        ("crash", Outcome.CRASHED, "memory"),
        ("no-gpu", Outcome.CPU_FALLBACK, None),
        ("garbage", Outcome.UNREADABLE, "matmul-fp32"),
        ("unknown-kind", Outcome.UNREADABLE, "matmul-fp32"),
    ],
)
def test_each_ending_is_an_answer_and_keeps_what_was_measured(
    case: str, outcome: Outcome, during: str | None
) -> None:
    bench = run(case)
    assert (bench.outcome, bench.during) == (outcome, during)
    assert [one.name for one in bench.figures] == ([] if case == "no-gpu" else ["matmul-fp32"])


def test_a_hang_is_ended_and_named() -> None:
    bench = run("hang", silence=2.0)
    assert (bench.outcome, bench.during, bench.waited) == (Outcome.HUNG, "memory", 2.0)


def test_out_of_memory_passes_over_one_figure_only() -> None:
    passed = [(one.name, one.kind) for one in run("skips").passed_over]
    assert passed == [("matmul-tf32", "out-of-memory"), ("copy-to-pinned", "no-device")]


def test_no_interpreter_is_an_answer(tmp_path: Path) -> None:
    assert measure(tmp_path / "python", "cpu", child=FAKE).outcome is Outcome.NO_START


def test_a_healthy_card_is_as_expected() -> None:
    told = verdict(
        CARD, CALM, matmul_fp32=15.9, matmul_tf32=17, matmul_fp16=34, memory=370, copy_to_pinned=24
    )
    assert told.grade == "as-expected"
    assert all(not one.reasons for one in told.judgements)


def test_half_of_it_because_it_is_hot() -> None:
    told = verdict(CARD, replace(CALM, clock=0.5, hot=0.9), matmul_fp32=7.5, memory=370)
    assert told.grade == "half"
    assert reasons(told, "matmul-fp32") == ["bench.because-heat"]


def test_power_cap_and_battery_are_named() -> None:
    seen = replace(CALM, clock=0.45, capped=0.95, power_limit_w=110.0, plugged=False)
    told = verdict(CARD, seen, matmul_fp32=6.5)
    assert reasons(told, "matmul-fp32") == ["bench.because-power", "bench.because-battery"]
    judged = told.of("matmul-fp32")
    assert judged is not None
    assert judged.reasons[0].params["limit"] == "110"


def test_a_power_cap_at_full_clock_is_no_reason() -> None:
    told = verdict(CARD, replace(CALM, capped=0.9), matmul_fp32=6.5)
    assert reasons(told, "matmul-fp32") == ["bench.because-unknown"]


def test_a_low_clock_without_a_reason_is_said() -> None:
    assert reasons(verdict(CARD, replace(CALM, clock=0.5), matmul_fp32=7), "matmul-fp32") == [
        "bench.because-clock"
    ]


def test_four_lanes_of_sixteen() -> None:
    told = verdict(CARD, replace(CALM, width=4), copy_to_pinned=6.2, matmul_fp32=16)
    assert told.grade == "far-below"
    assert reasons(told, "copy-to-pinned") == ["bench.because-link"]


def test_pageable_memory_alone_is_expected_to_be_slow() -> None:
    assert verdict(CARD, CALM, copy_to_pageable=8).grade == "as-expected"


def test_a_link_that_is_not_told_is_not_judged() -> None:
    told = verdict(CARD, replace(CALM, gen_max=None), copy_to_pinned=2)
    assert told.grade == "no-limit"


def test_the_memorys_clock_is_named() -> None:
    told = verdict(CARD, replace(CALM, memory_clock=0.4), memory=170)
    assert reasons(told, "memory") == ["bench.because-memory-clock"]


def test_tf32_that_did_not_work() -> None:
    told = verdict(A100, CALM, matmul_fp32=17.5, matmul_tf32=17.5, matmul_fp16=230)
    assert told.grade == "far-below"
    assert reasons(told, "matmul-tf32") == ["bench.because-tf32-off"]


def test_a_card_whose_tf32_is_no_faster_is_not_blamed() -> None:
    assert verdict(CARD, CALM, matmul_fp32=15.9, matmul_tf32=16.2).grade == "as-expected"


def test_matrix_units_that_were_not_used() -> None:
    told = verdict(A100, CALM, matmul_fp32=17.5, matmul_fp16=18)
    assert reasons(told, "matmul-fp16") == ["bench.because-no-matrix-units"]


def test_another_program_on_the_card() -> None:
    told = verdict(CARD, replace(CALM, others=0.6), matmul_fp32=7)
    assert reasons(told, "matmul-fp32") == ["bench.because-others"]


def test_an_unknown_card_is_not_judged() -> None:
    told = verdict(None, Conditions(), matmul_fp32=1.0, memory=10)
    assert told.grade == "no-limit"
    assert "bench.note-no-samples" in [note.code for note in told.notes]


def test_on_a_processor_numpy_is_the_measure() -> None:
    figures = (figure("matmul-numpy", 100e9), figure("matmul-fp32", 30e9), figure("matmul-bf16", 1e9))
    bench = Bench(Outcome.PROVEN, "cpu", "tensorflow", "measure", 30.0, figures=figures)
    told = judge(bench, None, Conditions())
    assert told.grade == "half"
    assert reasons(told, "matmul-fp32") == ["bench.because-cpu-build"]
    assert reasons(told, "matmul-bf16") == []


def test_products_of_two_sizes_are_not_compared() -> None:
    figures = (figure("matmul-numpy", 100e9, side="1024"), figure("matmul-fp32", 1e9, side="128"))
    bench = Bench(Outcome.PROVEN, "cpu", "torch", "measure", 30.0, figures=figures)
    assert judge(bench, None, Conditions()).grade == "unjudged"


def test_a_busy_processor_is_no_fault_of_the_build() -> None:
    figures = (figure("matmul-numpy", 100e9), figure("matmul-fp32", 30e9))
    bench = Bench(Outcome.PROVEN, "cpu", "tensorflow", "measure", 30.0, figures=figures)
    assert reasons(judge(bench, None, Conditions(host_busy=0.9)), "matmul-fp32") == ["bench.because-noise"]


def test_scatter_is_said_and_excuses() -> None:
    figures = (figure("matmul-numpy", 100e9, spread=0.9), figure("matmul-fp32", 30e9))
    bench = Bench(Outcome.PROVEN, "cpu", "tensorflow", "measure", 30.0, figures=figures)
    told = judge(bench, None, Conditions())
    assert reasons(told, "matmul-fp32") == ["bench.because-noise"]
    assert [note.code for note in told.notes] == ["bench.note-noisy"]


@given(st.lists(st.floats(1e-6, 100), min_size=3, max_size=12), st.floats(0.1, 10))
def test_a_figure_scales_with_its_clock(seconds: list[float], factor: float) -> None:
    one = Figure("memory", "byte", 1e9, tuple(seconds))
    other = Figure("memory", "byte", 1e9, tuple(value * factor for value in seconds))
    assert other.rate == pytest.approx(one.rate / factor)
    assert other.spread == pytest.approx(one.spread, rel=1e-6, abs=1e-9)


def value(rate: float, spread: float = 0.02, unit: str = "flop") -> Value:
    return Value(rate, spread, unit, {})


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        (value(100), value(98), "same"),
        (value(100), value(80), "slower"),
        (value(100), value(125), "faster"),
        (value(100, 0.3), value(80), "same"),
        (value(100, 0.3), value(40), "slower"),
        (value(100), value(100, unit="byte"), "other-work"),
        (value(100), None, "only-old"),
        (None, value(100), "only-new"),
    ],
)
def test_a_difference_counts_beyond_the_scatter(old: Value | None, new: Value | None, kind: str) -> None:
    before, after = ({"matmul-fp32": one} if one else {} for one in (old, new))
    (change,) = compare(before, after)
    assert change.kind == kind


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0, 1), st.floats(0, 1))
def test_comparing_is_even(old: float, new: float, left: float, right: float) -> None:
    there = compare({"a": value(old, left)}, {"a": value(new, right)})[0].kind
    back = compare({"a": value(new, right)}, {"a": value(old, left)})[0].kind
    assert {there, back} in ({"same"}, {"faster", "slower"})
