"""Recordings that were edited, cut or garbled still get an answer, never a fault of ours."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
from examined import NAMES, examined, replayed

from trueup.report.check import as_data, as_text
from trueup.report.check_markdown import as_markdown
from trueup.report.say import LANGUAGES

NONSENSE: tuple[Any, ...] = (
    *(None, "", "x", "\x00\ufffd", "999999999.1.1", "%s{}", "a/b\\c", [], ["a"], {}, 0, -1, 10**30, True),
    {"error": {"code": 1, "text": "t"}},
)


def garbled(document: dict[str, Any], dice: random.Random) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    for row in changed["answers"]:
        if dice.random() < 0.1:
            row.clear() if dice.random() < 0.1 else None
            row.update(ask=row.get("ask", ["size", "/nowhere"]), **{"is": dice.choice(NONSENSE)})
            row.pop("error", None)
        elif dice.random() < 0.05:
            row.pop("is", None)
            row["error"] = ["machine.unreadable", {"path": "p", "text": "t"}]
    return changed


@pytest.mark.parametrize("seed", range(60))
def test_a_garbled_recording_is_answered(seed: int) -> None:
    dice = random.Random(seed)  # noqa: S311  # a seed that can be asked again
    checkup = replayed(garbled(examined(dice.choice(NAMES))[1], dice))
    for lang in LANGUAGES:
        assert as_text(checkup, lang)
        assert as_markdown(checkup, lang)
        assert as_data(checkup, lang)["outcome"] == checkup.outcome


@pytest.mark.parametrize("name", NAMES)
def test_where_nothing_could_be_read_nothing_is_claimed(name: str) -> None:
    document = {**examined(name)[1], "answers": []}
    checkup = replayed(document)
    assert checkup.outcome == "unknown" or checkup.cause is not None
    assert checkup.outcome not in ("aligned", "ready")


def test_packages_that_cannot_be_listed_are_not_taken_for_fine() -> None:
    document = copy.deepcopy(examined("aligned--windows-tf210-hook")[1])
    for row in document["answers"]:
        if row["ask"][0] == "list_dir" and row["ask"][1].endswith("site-packages"):
            row.pop("is", None)
            row["error"] = ["machine.unreadable", {"path": row["ask"][1], "text": "Access is denied"}]
    assert replayed(document).outcome == "unknown"
