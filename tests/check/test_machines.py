"""Recorded machines: a folder's name is the expected answer, a cause's id or an outcome, then what is special."""

from __future__ import annotations

import pytest
from examined import NAMES, answer, examined, replayed


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_gets_the_answer_in_its_name(name: str) -> None:
    checkup, _ = examined(name)
    assert answer(checkup) == name.partition("--")[0]
    if checkup.cause is not None:
        assert checkup.cause.remedies, "a cause without a way out"


@pytest.mark.parametrize("name", NAMES)
def test_a_replayed_recording_answers_the_same(name: str) -> None:
    checkup, document = examined(name)
    again = replayed(document)
    assert answer(again) == answer(checkup)
    assert [one.id for one in again.findings] == [one.id for one in checkup.findings]


def test_there_are_enough_machines() -> None:
    assert len(NAMES) >= 40
