"""The classifier on simulated trainings: on ranges and seeds that its thresholds were not set on."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

import pytest
from simulate import CAUSES, NARROW, WIDE, Ranges, simulate

from trueup.report.say import LANGUAGES, catalog
from trueup.report.watch_verdict import as_text
from trueup.watch.classify import Point, Trace, classify

SET, UNSEEN, MANY = range(20), range(30_000, 30_020), range(40_000, 40_500)
RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))
FALSE_ALARM = "held-back"


@cache
def outcomes(cause: str, seeds: range, wide: bool) -> Counter[str]:
    ranges: Ranges = WIDE if wide else NARROW
    return Counter(classify(simulate(cause, seed, ranges)).cause for seed in seeds)


@pytest.mark.parametrize("cause", CAUSES)
def test_each_cause_is_found_on_seeds_and_ranges_not_used_to_set_it(cause: str) -> None:
    found = outcomes(cause, UNSEEN, wide=True)
    assert found[cause] >= 0.85 * len(UNSEEN), found


def test_nineteen_of_twenty_are_right_over_all() -> None:
    for seeds, wide in ((SET, False), (UNSEEN, True)):
        right = sum(outcomes(cause, seeds, wide)[cause] for cause in CAUSES)
        assert right >= 0.95 * len(CAUSES) * len(seeds)


def test_no_healthy_training_is_called_held_back() -> None:
    verdicts = [classify(simulate("healthy", seed, WIDE)) for seed in MANY]
    assert not [one.cause for one in verdicts if one.outcome == FALSE_ALARM]
    assert sum(one.outcome == "healthy" for one in verdicts) >= 0.98 * len(MANY)


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_recorded_runs(path: Path) -> None:
    """A file's name is the expected answer, then what is special."""
    data = json.loads(path.read_text("utf-8"))
    trace = Trace(tuple(Point(**one) for one in data["points"]), data["cores"], data["card"], data["wddm"])
    assert classify(trace).cause == path.stem.partition("--")[0]


def healthy() -> Trace:
    trace = simulate("healthy", 3, NARROW)
    assert classify(trace).outcome == "healthy"
    return trace


def changed(trace: Trace, **values: object) -> Trace:
    return replace(trace, points=tuple(replace(one, **values) for one in trace.points))  # type: ignore[arg-type]


def test_an_idle_link_of_generation_one_is_no_cause() -> None:
    trace = healthy()
    fallen = tuple(replace(one, gen=1.0) if (one.sm or 0) < 8 else one for one in trace.points)
    assert classify(replace(trace, points=fallen)).outcome == "healthy"


def test_memory_that_a_framework_reserved_is_no_cause() -> None:
    assert classify(changed(healthy(), vram=99.0)).outcome == "healthy"


def test_hidden_process_lists_are_no_fallback() -> None:
    assert classify(changed(healthy(), own=None)).outcome == "healthy"


def test_nothing_known_is_not_healthy() -> None:
    assert classify(changed(healthy(), sm=None)).outcome == "not-enough"
    assert classify(Trace((), 8)).outcome == "not-enough"
    assert classify(Trace((), 8, card=False)).outcome == "no-card"


def test_two_causes_are_both_told_in_the_order_of_mending() -> None:
    verdict = classify(changed(simulate("slow-disk", 4, NARROW), plugged=False))
    assert [one.cause for one in verdict.findings] == ["battery", "slow-disk"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("cause", [one for one in CAUSES if one not in {"healthy", "not-enough"}])
def test_each_cause_is_told_with_evidence_and_remedy(cause: str, lang: str) -> None:
    verdict = next(
        one for seed in range(5) if (one := classify(simulate(cause, seed, NARROW))).cause == cause
    )
    finding = verdict.findings[0]
    assert finding.evidence
    assert finding.remedies
    text = "\n".join(as_text(verdict, lang, 60))
    assert catalog(lang, "held")[f"cause-{cause}"] in text
    assert catalog(lang, "held")["do-this"] in text


def test_each_threshold_has_its_reason() -> None:
    rows = json.loads(resources.files("trueup.watch.classify").joinpath("thresholds.json").read_text("utf-8"))
    assert all(len(row["why"]) > 20 and row["unit"] for row in rows.values())
    source = "".join(
        one.read_text("utf-8")
        for one in Path(os.fspath(str(resources.files("trueup.watch.classify")))).glob("*.py")
    )
    assert not [name for name in rows if f'"{name}"' not in source]


def test_a_card_that_is_used_a_little_is_no_fallback() -> None:
    trace = simulate("small-batch", 7, NARROW)
    little = tuple(replace(one, sm=min(one.sm or 0.0, 5.0), own=True, power=None) for one in trace.points)
    assert classify(replace(trace, points=little)).cause in {"small-batch", "host-bound"}


def test_a_program_in_wsl_whose_card_lists_nobody_is_no_fallback() -> None:
    trace = healthy()
    listed = tuple(replace(one, own=None if (one.sm or 0) >= 5 else False) for one in trace.points)
    assert classify(replace(trace, points=listed)).outcome == "healthy"


def test_where_power_and_access_are_hidden_both_remedies_of_a_slow_host_are_told() -> None:
    verdict = classify(changed(simulate("input-one-core", 5, NARROW), power=None, access=None))
    assert verdict.cause == "host-bound"
    told = {one.code for one in verdict.findings[0].remedies}
    assert {"held.do-prefetch", "held.do-larger-batch"} <= told
