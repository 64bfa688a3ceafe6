"""Each finding and each remedy that the code can write has its sentence, in both languages."""

from __future__ import annotations

import ast
import json
from importlib import resources
from pathlib import Path

import pytest
from examined import NAMES, examined

from trueup.diagnose import findings
from trueup.diagnose.findings.frameworks import CAUSE_OF_CHANGE, CAUSE_OF_RULE
from trueup.diagnose.findings.order import ORDER
from trueup.diagnose.findings.packages import CAUSE_OF_CAP
from trueup.report.say import LANGUAGES, say

ROOM = Path(findings.__file__).parent
WRITERS = ("ok", "problem", "notice", "harmless", "unknown", "make", "say")


def catalog() -> dict[str, str]:
    folder = resources.files("trueup.report").joinpath("messages", "en")
    loaded: dict[str, str] = json.loads(folder.joinpath("findings.json").read_text("utf-8"))
    return loaded


def written(writers: tuple[str, ...]) -> set[str]:
    """Return the ids that calls of some writers name."""
    found = set()
    for path in ROOM.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in writers:
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    found.add(first.value)
    return found


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def test_every_id_has_a_sentence() -> None:
    mapped = {*CAUSE_OF_RULE.values(), *CAUSE_OF_CHANGE.values(), *CAUSE_OF_CAP.values()}
    assert written(WRITERS) | mapped <= catalog().keys()


def test_every_cause_has_its_place_in_the_order() -> None:
    assert written(("problem",)) | {*CAUSE_OF_CAP.values(), *CAUSE_OF_RULE.values()} <= set(ORDER)
    assert set(ORDER) <= catalog().keys()
    assert len(set(ORDER)) == len(ORDER)


@pytest.mark.parametrize("name", NAMES)
def test_every_place_in_a_sentence_is_filled(name: str) -> None:
    for finding in examined(name)[0].findings:
        for lang in LANGUAGES:
            words = [finding.text, *finding.evidence, *(one.text for one in finding.remedies)]
            assert all(say(word, lang) for word in words)
