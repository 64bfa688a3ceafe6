"""Recorded machines: a folder's name is the expected answer, a cause's id or an outcome, then what is special."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from world import load

from trueup.diagnose.findings import Checkup, check
from trueup.facts import load as load_facts
from trueup.machine.host import Host, RecordedHost, Recording
from trueup.machine.survey import read_survey
from trueup.report.redact import redact_all

MACHINES = sorted((Path(__file__).parent / "machines").iterdir())


def examine(host: Host) -> Checkup:
    return check(read_survey(host), load_facts())


def answer(checkup: Checkup) -> str:
    return checkup.cause.id if checkup.cause else checkup.outcome


@pytest.mark.parametrize("folder", MACHINES, ids=lambda folder: folder.name)
def test_a_machine_gets_the_answer_in_its_name(folder: Path) -> None:
    recording = Recording(load(folder / "machine.json"))
    first = examine(recording)
    assert answer(first) == folder.name.partition("--")[0]
    if first.cause is not None:
        assert first.cause.remedies, "a cause without a way out"

    document = json.loads(json.dumps(redact_all(recording.document())))
    again = examine(RecordedHost(document))
    assert answer(again) == answer(first), "a replayed recording answers otherwise"
    assert [one.id for one in again.findings] == [one.id for one in first.findings]


def test_there_are_enough_machines() -> None:
    assert len(MACHINES) >= 40
