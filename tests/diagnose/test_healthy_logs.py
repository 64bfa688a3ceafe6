"""Logs of programs in good health, of all ages: whatever noise they make, no cause is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from trueup.diagnose import diagnose

HARMLESS = "harmless-warnings-only"
ROWS = [
    json.loads(line)
    for line in Path(__file__).with_name("healthy.jsonl").read_text("utf-8").splitlines()
]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
@pytest.mark.parametrize("system", ["own", "unknown", "windows-native", "linux"])
def test_no_cause_is_named(row: dict[str, Any], system: str) -> None:
    os = row["os"] if system == "own" else system
    found = diagnose("\n".join(row["log"]), row["given"], os)
    assert [one.cause for one in found.causes[:1]] in ([], [HARMLESS])
    assert not found.own


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_real_fault_in_the_same_log_is_still_seen(row: dict[str, Any]) -> None:
    fault = "Failed to initialize NVML: Driver/library version mismatch"
    log = "\n".join((*row["log"], fault))
    assert diagnose(log, row["given"], "linux").causes[0].cause == "driver-userspace-kernel-mismatch"
