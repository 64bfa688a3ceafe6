"""Every cause is told from its own cases, and no fault is seen where there is none."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scoring import HARMLESS, answer, own_cases, wrong

from trueup.diagnose.catalog import causes

if TYPE_CHECKING:
    from collections.abc import Callable

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


def reliability() -> dict[str, tuple[float, float, int]]:
    """Return for each band what was stated on average, what came true, and the number of answers."""
    rows: dict[str, list[tuple[float, bool]]] = {}
    for case in CASES:
        found = answer(case).causes
        for place, one in enumerate(found[:3]):
            if one.role != "further":
                kind = "first" if place == 0 else "other"
                band = f"{kind} {int(one.confidence * 10) / 10:.1f}"
                rows.setdefault(band, []).append((one.confidence, one.cause == case.cause))
    return {
        band: (
            sum(said for said, _ in hits) / len(hits),
            sum(true for _, true in hits) / len(hits),
            len(hits),
        )
        for band, hits in sorted(rows.items())
    }


def test_confidence_is_calibrated(record_property: Callable[[str, object], None]) -> None:
    """What is stated for a first cause comes true at least as often; what is stated for others is modest."""
    table = reliability()
    record_property("reliability", {band: [round(value, 3) for value in row] for band, row in table.items()})
    for band, (said, true, number) in table.items():
        if band.startswith("first"):
            assert true >= said - 0.15, (band, number)
    others = [
        (said * number, true * number, number)
        for band, (said, true, number) in table.items()
        if band.startswith("other")
    ]
    said, true, number = (sum(column) for column in zip(*others, strict=True))
    assert abs(said - true) / number <= 0.2, (said, true, number)


def test_alternatives_share_what_the_first_leaves() -> None:
    for case in CASES:
        found = answer(case).causes
        shared = sum(one.confidence for one in found if one.role != "further")
        assert shared <= 1.05, (case.id, [(one.cause, one.confidence) for one in found])


def test_evidence_quotes_the_line() -> None:
    for case in CASES:
        for finding in answer(case).causes[:1]:
            for seen in finding.evidence:
                if seen.line and "…" not in seen.text:
                    assert seen.text[:30].strip() in " ".join(" ".join(case.log).split()) or seen.text[
                        :30
                    ] in "\n".join(case.log), case.id
