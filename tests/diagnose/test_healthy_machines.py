"""What a healthy machine has is a fact and never a symptom: beside a log that shows no fault, nothing is blamed."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from scoring import HARMLESS, own_cases
from test_surveyed import MACHINES, recorded, world

from trueup.cli.check import named_by
from trueup.diagnose import diagnose
from trueup.diagnose.surveyed import stated
from trueup.machine.host import RecordedHost, Recording
from trueup.machine.survey import read_survey
from trueup.report.redact import redact_all

LAB = Path(__file__).parents[2] / "lab" / "recorded"
HEALTHY = sorted(one.name for one in MACHINES.iterdir() if one.name.startswith(("aligned", "ready")))
EACH = 3  # a third of the logs beside each machine, another third beside the next one


@cache
def logs() -> tuple[tuple[str, str], ...]:
    """Return the logs, with their system, that are harmless whatever the facts of their case are."""
    found = [(case.os, "\n".join(case.log)) for case in own_cases() if case.cause == HARMLESS]
    for folder in sorted(LAB.iterdir()):
        truth = json.loads((folder / "truth.json").read_text("utf-8"))
        if truth["causes"] == [HARMLESS] or (not truth["causes"] and truth["exit"] == 0):
            os = json.loads((folder / "facts.json").read_text("utf-8"))["os"]
            found.append((os, (folder / "log.txt").read_text("utf-8")))
    return tuple((os, log) for os, log in found if not blamed(log, {}, "unknown"))


def blamed(log: str, facts: dict[str, str], os: str) -> str:
    causes = diagnose(log, facts, os, facts.keys()).causes
    return causes[0].cause if causes and causes[0].cause != HARMLESS else ""


@pytest.mark.parametrize("machine", HEALTHY)
def test_no_alarm(machine: str) -> None:
    facts = recorded(machine)
    fitting = [log for os, log in logs() if os in (facts["os"], "unknown")]
    some = fitting[HEALTHY.index(machine) % EACH :: EACH]
    assert some
    assert not {log[:200]: cause for log in some if (cause := blamed(log, facts, facts["os"]))}


def test_a_word_in_a_name_is_no_symptom() -> None:
    facts = {"os": "linux", "packages": "numpy 2.2.6, nvidia-nvjitlink-cu12 12.5.82, torch 2.6.0"}
    log = "['TensorrtExecutionProvider', 'CUDAExecutionProvider', 'CPUExecutionProvider']"
    assert not blamed(log, facts, "linux")


def test_the_environment_that_was_named_goes_before_the_active_one() -> None:
    host = world("aligned--linux-torch-cu124")
    told = {}
    for named in (True, False):
        recording = Recording(host, "/usr", named=named)
        read_survey(recording, env_dir="/usr")
        again = RecordedHost(json.loads(json.dumps(redact_all(recording.document()))))
        assert again.named == named
        assert named_by(again) == named
        told[named] = stated(read_survey(again, env_dir=again.folder), named=again.named)
    assert "torch" not in told[True].get("packages", "")
    assert "torch" in told[False]["packages"]
