"""Described machines and what must be answered, over the shipped facts."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fit_expect import misses

from trueup.facts import load
from trueup.fit.case import read_case
from trueup.fit.model import Outcome, Wish
from trueup.fit.option import weigh
from trueup.fit.rules.joint import JOINT_RULES
from trueup.fit.solve import solve
from trueup.fit.wish import understand
from trueup.machine.describe import parse
from trueup.report.solution import as_data

LINES = Path(__file__).with_name("scenarios.jsonl").read_text("utf-8").splitlines()
SCENARIOS: list[dict[str, Any]] = [json.loads(line) for line in LINES]
SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "solve-1.json").read_text("utf-8"))
each = pytest.mark.parametrize("scenario", SCENARIOS, ids=[s["id"] for s in SCENARIOS])


@each
def test_the_answer_is_as_expected(scenario: dict[str, Any]) -> None:
    answer = as_data(solve(Wish(tuple(scenario["want"])), parse(scenario["machine"]), load()), "en")
    assert list(misses(scenario["expect"], answer)) == [], scenario["why"]
    jsonschema.validate(answer, SCHEMA)


@each
def test_the_aligned_builds_pass_every_rule_alone(scenario: dict[str, Any]) -> None:
    """What the answer says of changes is what the rules say of its builds, and none of them says no."""
    machine, facts = parse(scenario["machine"]), load()
    asked = understand(Wish(tuple(scenario["want"])), facts)
    solution = solve(Wish(tuple(scenario["want"])), machine, facts)
    if solution.best is None or solution.beside:
        assert solution.best is None or solution.notes, "what one environment cannot hold is said"
        return
    case = read_case(machine, asked, facts)
    from trueup.fit.case import Candidate

    weighed = [
        weigh(case, Candidate(solution.best.route, build, _ask(asked, build.framework)))
        for build in solution.best.builds
    ]
    verdicts = [v for option in weighed for v in option.verdicts]
    assert [v.rule for v in verdicts if v.outcome is Outcome.NO] == []
    wanted = {v.change.id for v in verdicts if v.change}
    ids = {change.id for change in solution.best.changes}
    assert wanted - ids <= {"update-driver"}, "one change may stand for another of its kind"
    pairs = [(a, b) for i, a in enumerate(weighed) for b in weighed[i + 1 :]]
    clashes = [rule(case, a.candidate, b.candidate) for a, b in pairs for rule in JOINT_RULES]
    assert [v.rule for v in clashes if v.outcome is not Outcome.OK] == []
    by_hand = {"install-cuda", "install-python"}
    assert (solution.status == "gpu") == (solution.best.route != "cpu" and ids <= by_hand)


def _ask(asked: Any, framework: str) -> Any:
    return next(ask for ask in asked.asks if ask.framework == framework)


def test_there_are_scenarios_for_every_status_and_route() -> None:
    statuses = {s["expect"].get("status") for s in SCENARIOS} - {None}
    routes = {s["expect"].get("route") for s in SCENARIOS} - {None}
    assert statuses == {"gpu", "gpu-after-change", "cpu-only", "impossible"}
    assert routes == {"windows-native", "wsl2", "linux", "directml", "cpu"}
    assert len({s["id"] for s in SCENARIOS}) == len(SCENARIOS) >= 60
