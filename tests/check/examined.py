"""Each recorded machine, examined once for all tests."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from world import load

from trueup.diagnose.findings import Checkup, check
from trueup.facts import load as load_facts
from trueup.machine.host import RecordedHost, Recording
from trueup.machine.survey import read_survey
from trueup.report.redact import redact_all

if TYPE_CHECKING:
    from trueup.machine.host import Host

MACHINES = Path(__file__).parent / "machines"
NAMES = sorted(folder.name for folder in MACHINES.iterdir())


def _check(host: Host) -> Checkup:
    return check(read_survey(host), load_facts())


@functools.cache
def examined(name: str) -> tuple[Checkup, dict[str, Any]]:
    """Return the check-up of a machine and the redacted recording that was made on the way."""
    recording = Recording(load(MACHINES / name / "machine.json"))
    checkup = _check(recording)
    return checkup, json.loads(json.dumps(redact_all(recording.document())))


def replayed(document: dict[str, Any]) -> Checkup:
    return _check(RecordedHost(document))


def answer(checkup: Checkup) -> str:
    return checkup.cause.id if checkup.cause else checkup.outcome
