"""The diagnosis of what real software printed when a fault was made on purpose; see `lab/README.md`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

LAB = Path(__file__).parents[2] / "lab"
sys.path.insert(0, str(LAB))

from judge import FIRST, RECORDED, judge, names  # noqa: E402  # the laboratory is no package
from trueup.diagnose.catalog import causes  # noqa: E402

FOREIGN = re.compile(r"/root\b|/tmp/[\w-]+/home|/work\b|firecracker|-fc-v|sandbox", re.IGNORECASE)


# Told wrong so far, in one way at least: they are kept, and counted in the README.
WRONG: frozenset[str] = frozenset()


@pytest.mark.parametrize("name", names())
def test_the_true_cause_comes_first(name: str) -> None:
    one = judge(name)
    assert one.right == (name not in WRONG), (one.facts, one.machine, one.expected)


@pytest.mark.parametrize("name", names())
def test_a_case_is_whole_and_tells_of_no_one_s_machine(name: str) -> None:
    folder = RECORDED / name
    texts = {file: (folder / file).read_text("utf-8") for file in ("log.txt", "facts.json", "machine.json")}
    truth = json.loads((folder / "truth.json").read_text("utf-8"))
    assert set(truth["causes"]) <= set(causes())
    assert truth["made"]
    assert len(texts["log.txt"]) <= 201_000
    assert not [file for file, text in texts.items() if FOREIGN.search(text)]


def test_the_laboratory_is_as_wide_as_it_says() -> None:
    stated = [json.loads((RECORDED / name / "facts.json").read_text("utf-8"))["given"] for name in names()]
    minors = {".".join(one["tensorflow"].split(".")[:2]) for one in stated if "tensorflow" in one}
    assert len(names()) >= 60
    assert len(minors) >= 6


def test_the_first_answers_are_kept() -> None:
    assert set(json.loads(FIRST.read_text("utf-8"))) >= set(names())
