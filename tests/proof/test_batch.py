"""The search for the largest batch, its children in all their endings, and the remedies one after the other."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.proof.batch import Found, Options, Trial, Trials, study
from trueup.proof.batch.search import FINE, search
from trueup.proof.model import Outcome, Timeouts

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.proof.batch.model import Ending, Variant

FAKE = Path(__file__).with_name("trial_child.py")
OPTIONS = Options(32, 64, 1000.0)


def attempt_up_to(limit: int, ending: Ending = "out-of-memory") -> Callable[[int], Trial]:
    def attempt(batch: int) -> Trial:
        options = replace(OPTIONS, batch=batch)
        return Trial(options, "fits", (0.1,)) if batch <= limit else Trial(options, ending)

    return attempt


def never() -> bool:
    return False


@given(st.integers(1, 100_000), st.sampled_from([1, 7, 32, 512]))
def test_the_answer_is_within_one_part_in_eight(limit: int, start: int) -> None:
    found = search("base", attempt_up_to(limit), start, 65536, never)
    assert found.largest is not None
    largest = found.largest.options.batch
    assert largest <= limit
    assert largest == 65536 or limit - largest <= max(1, largest // FINE)
    assert found.bound == ("most" if limit >= 65536 else "memory")
    assert len(found.trials) <= 36


@given(st.integers(0, 5000), st.integers(1, 10))
def test_time_that_is_up_ends_it_with_what_fits(limit: int, patience: int) -> None:
    calls = 0

    def over() -> bool:
        nonlocal calls
        calls += 1
        return calls >= patience

    found = search("base", attempt_up_to(limit), 32, 65536, over)
    assert len(found.trials) <= patience + 1
    if found.largest:
        assert found.largest.options.batch <= limit
        assert found.largest in found.trials


def test_not_even_one_fits() -> None:
    found = search("base", attempt_up_to(0), 32, 65536, never)
    assert found.largest is None
    assert [one.options.batch for one in found.trials] == [32, 16, 8, 4, 2, 1]


@pytest.mark.parametrize(("ending", "bound"), [("slow", "time"), ("crashed", "memory"), ("failed", "failed")])
def test_what_ends_the_doubling_is_told(ending: Ending, bound: str) -> None:
    found = search("base", attempt_up_to(100, ending), 32, 65536, never)
    assert found.bound == bound
    assert found.largest is not None
    if ending == "slow":
        assert [one.options.batch for one in found.trials] == [32, 64, 128]


def run(case: str, batch: int = 64, silence: float = 60.0) -> Trial:
    limits = replace(Timeouts(), measure=silence)
    trials = Trials(Path(sys.executable), "gpu", case, limits, taken=lambda: 7.0, child=FAKE)
    return trials.run(replace(OPTIONS, batch=batch))


@pytest.mark.parametrize(
    ("case", "batch", "ending", "outcome"),
    [
        ("good", 64, "fits", None),
        ("good", 128, "out-of-memory", None),
        ("abort", 128, "crashed", Outcome.CRASHED),
        ("slow", 64, "slow", None),
        ("broken", 64, "failed", Outcome.IMPORT_ERROR),
        ("no-gpu", 64, "failed", Outcome.CPU_FALLBACK),
        ("bad-model", 64, "failed", Outcome.FAILED),
        ("garbage", 64, "failed", Outcome.UNREADABLE),
        ("hollow", 64, "failed", Outcome.UNREADABLE),
        ("early-crash", 64, "failed", Outcome.CRASHED),
    ],
)
def test_each_ending_of_a_trial(case: str, batch: int, ending: Ending, outcome: Outcome | None) -> None:
    trial = run(case, batch)
    assert (trial.ending, trial.outcome) == (ending, outcome)
    assert trial.taken_mb == 7.0


def test_a_hang_while_training_counts_as_slow() -> None:
    assert run("hang", silence=2.0).ending == "slow"


def test_time_that_is_up_shortens_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trueup.proof.batch.trial.LEAST", 2.0)
    trials = Trials(Path(sys.executable), "gpu", "hang", child=FAKE, ends=0.0)
    assert trials.run(OPTIONS).ending == "slow"


def test_what_was_measured_is_kept() -> None:
    trial = run("good")
    assert trial.rate == pytest.approx(1000)
    assert (trial.peak_mb, trial.gpus) == (640.0, ("Card (8.6)",))


class Card:
    """A card that holds `room` units; mixed precision and smaller pictures need less of them."""

    def __init__(self, room: int, step: float = 1.0) -> None:
        self.room, self.step, self.now = room, step, 0.0
        self.seen: list[tuple[Variant, int]] = []

    def attempt(self, options: Options) -> Trial:
        self.now += self.step
        need = options.batch // options.accumulate * options.side**2 / 4096 * (0.6 if options.mixed else 1.0)
        if need > self.room:
            return Trial(options, "out-of-memory")
        return Trial(options, "fits", (0.1,), peak_mb=need, taken_mb=need if options.growth else 9000.0)

    def study(self, expected: str = "gpu", seconds: float = 1e6) -> tuple[Found | None, ...]:
        self.answer = study(
            self.attempt,
            OPTIONS,
            expected=expected,  # type: ignore[arg-type]
            framework="tensorflow",
            most=65536,
            seconds=seconds,
            on_trial=lambda variant, batch: self.seen.append((variant, batch)),
            clock=lambda: self.now,
        )
        variants: tuple[Variant, ...] = ("base", "mixed", "smaller", "accumulate")
        return tuple(self.answer.of(variant) for variant in variants)


def test_each_remedy_gets_its_own_number() -> None:
    card = Card(1000)
    base, mixed, smaller, accumulate = card.study()
    assert base is not None
    assert base.largest is not None
    assert 875 <= base.largest.options.batch <= 1000
    assert mixed is not None
    assert mixed.largest is not None
    assert mixed.largest.options.batch > 1.4 * base.largest.options.batch
    assert smaller is not None
    assert smaller.largest is not None
    assert smaller.largest.options.batch > 3 * base.largest.options.batch
    assert accumulate is not None
    assert accumulate.largest is not None
    assert (accumulate.largest.peak_mb or 0) <= 250
    without, with_ = card.answer.growth
    assert (with_.taken_mb or 0) < (without.taken_mb or 0)
    assert card.answer.failed is None
    assert {variant for variant, _ in card.seen} == {"base", "mixed", "smaller", "growth", "accumulate"}


def test_a_processor_has_no_memory_growth() -> None:
    card = Card(100)
    card.study("cpu")
    assert card.answer.growth == ()


def test_remedies_that_time_does_not_allow_are_named() -> None:
    card = Card(1000, step=20.0)
    card.study(seconds=12.0)
    assert card.answer.skipped == ("mixed", "smaller", "accumulate")
    assert card.answer.failed is None


def test_nothing_fits_at_all() -> None:
    card = Card(0)
    card.study()
    assert card.answer.failed is not None
    assert card.answer.failed.ending == "out-of-memory"
    assert len(card.answer.found) == 1
