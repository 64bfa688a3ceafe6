"""Every cause is told from its own cases, and no fault is seen where there is none."""

from __future__ import annotations

from collections import Counter

from scoring import HARMLESS, answer, own_cases, wrong

from trueup.diagnose.catalog import causes

CASES = own_cases()


def test_cases_are_told_right() -> None:
    assert not wrong(CASES)


def test_every_cause_has_a_case() -> None:
    counts = Counter(case.cause for case in CASES)
    assert set(counts) == set(causes())
    assert counts[HARMLESS] >= 25


def test_no_alarm_on_harmless_logs() -> None:
    alarms = [
        case.id for case in CASES if case.cause == HARMLESS and answer(case).causes[0].cause != HARMLESS
    ]
    assert not alarms


def test_harmless_lines_are_named_one_by_one() -> None:
    case = next(
        case for case in CASES if "cuFFT" in " ".join(case.log) or "cuDNN factory" in " ".join(case.log)
    )
    assert [row.line for row in answer(case).harmless][:2] == [1, 2]


def test_confidence_is_calibrated() -> None:
    """Of the answers given as sure, nearly all are right; the stated share is kept in each band."""
    bands: dict[int, list[bool]] = {}
    for case in CASES:
        best = answer(case).causes[0]
        bands.setdefault(int(best.confidence * 10), []).append(best.cause == case.cause)
    for tenth, hits in bands.items():
        assert sum(hits) / len(hits) >= tenth / 10 - 0.15, (tenth, len(hits))


def test_evidence_quotes_the_line() -> None:
    for case in CASES:
        for finding in answer(case).causes[:1]:
            for seen in finding.evidence:
                if seen.line and "…" not in seen.text:
                    assert seen.text[:30].strip() in " ".join(" ".join(case.log).split()) or seen.text[
                        :30
                    ] in "\n".join(case.log), case.id
