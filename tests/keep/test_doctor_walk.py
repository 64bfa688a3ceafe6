"""The way from findings to what mends them, on the recorded machines, and on one that changes as steps are taken."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from examined import MACHINES, NAMES, examined
from world import World, load

from trueup.cli.main import COMMANDS
from trueup.diagnose.findings import Checkup, check
from trueup.diagnose.findings.order import ORDER, rank
from trueup.diagnose.mend.route import mends, route, table
from trueup.diagnose.mend.walk import walk
from trueup.facts import load as load_facts
from trueup.keep.tune.knowledge import rows
from trueup.machine.survey import read_survey
from trueup.report.doctor import end_text, route_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.diagnose.mend.model import Mend


def test_every_problem_has_a_row_and_every_step_is_a_command() -> None:
    assert set(ORDER) <= set(table())
    settings = {row.name for row in rows()}
    for steps in table().values():
        for words in steps:
            assert words[0] in COMMANDS
            assert words[0] != "tune" or words[1] in settings


@pytest.mark.parametrize("name", NAMES)
def test_the_route_of_every_machine_begins_with_its_cause(name: str) -> None:
    checkup, _ = examined(name)
    steps = route(checkup)
    ranks = [rank(step.finding) for step in steps if step.finding and step.finding.status == "problem"]
    assert ranks == sorted(ranks)
    if checkup.cause is not None:
        assert steps[0].finding is checkup.cause
    for lang in ("en", "zh_CN"):
        assert route_text(checkup, steps, lang)
    typed = [step.argv for step in steps if step.argv]
    assert len(typed) == len(set(typed))


@pytest.mark.parametrize("name", NAMES)
def test_what_does_not_help_is_never_done_twice(name: str) -> None:
    checkup, _ = examined(name)
    taken: list[tuple[str, ...]] = []

    def act(step: Mend) -> bool:
        taken.append(step.argv)
        return True

    walked = walk(lambda: checkup, act)
    assert len(taken) == len(set(taken)) == len(walked.done)
    assert not any(helped for _, helped in walked.done)
    assert (walked.end == "aligned") == (checkup.outcome == "aligned")
    if checkup.cause is not None:
        assert walked.left is not None
        assert walked.left.finding is checkup.cause
    for lang in ("en", "zh_CN"):
        assert end_text(walked, lang)


@pytest.mark.parametrize("name", [name for name in NAMES if examined(name)[0].outcome == "not-aligned"])
def test_a_rebuilt_environment_ends_the_walk_where_a_rebuild_is_the_step(name: str) -> None:
    checkup, _ = examined(name)
    good, _ = examined(next(one for one in NAMES if one.startswith("aligned--")))
    state = {"now": checkup}

    def act(step: Mend) -> bool:
        if step.argv[0] == "up":
            state["now"] = good
        return True

    walked = walk(lambda: state["now"], act)
    rebuilt = any(step.argv[0] == "up" for step, _ in walked.done)
    assert (walked.end == "aligned") == rebuilt
    assert rebuilt == any(step.argv[:1] == ("up",) for step in mends(checkup, checkup.cause))  # type: ignore[arg-type]


def judged(data: dict[str, Any]) -> Checkup:
    return check(read_survey(World(data)), load_facts())


def changing(data: dict[str, Any], acts: dict[str, Callable[[dict[str, Any]], None]]) -> Any:
    """Walk over a machine that each command changes as `acts` say, by its first two words."""
    taken: list[str] = []

    def act(step: Mend) -> bool:
        name = " ".join(step.argv[:2])
        taken.append(name)
        if name in acts:
            acts[name](data)
        return True

    return walk(lambda: judged(data), act), taken


def deep() -> dict[str, Any]:
    """Return a machine whose only fault is a deep folder with long paths off."""
    name = next(name for name in NAMES if name.startswith("long-path"))
    return dict(load(MACHINES / name / "machine.json").data)


FILE_SYSTEM = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"


def test_a_setting_is_mended_then_what_was_lacking_is_built() -> None:
    def long_paths(data: dict[str, Any]) -> None:
        others = {key: own for key, own in data["registry"].items() if key.lower() != FILE_SYSTEM.lower()}
        data["registry"] = {**others, FILE_SYSTEM: {"LongPathsEnabled": 1}}

    def built(data: dict[str, Any]) -> None:
        name = next(name for name in NAMES if name.startswith("aligned--windows"))
        data.clear()
        data.update(load(MACHINES / name / "machine.json").data)

    walked, taken = changing(deep(), {"tune long-paths": long_paths, "up tensorflow": built})
    assert taken == ["tune long-paths", "up tensorflow"]
    assert [helped for _, helped in walked.done] == [True, True]
    assert walked.end == "aligned"


def test_where_the_setting_does_not_help_the_next_way_is_taken_once() -> None:
    walked, taken = changing(deep(), {})
    assert taken == ["tune long-paths", "up tensorflow"]
    assert walked.end == "left"
    assert walked.left.finding.id == "long-path"


def test_a_step_for_an_administrator_is_left_where_nobody_can_be_asked() -> None:
    data = deep()
    taken: list[Mend] = []

    def act(step: Mend) -> bool:
        taken.append(step)
        return False

    walked = walk(lambda: judged(data), act, lambda step: not step.admin)
    assert [step.argv[0] for step in taken] == ["up"]
    assert walked.end == "yours"
    assert walked.left is not None
    assert walked.left.argv[0] == "tune"
    assert "trueup tune long-paths --apply" in end_text(walked, "zh_CN")


def test_an_environment_of_ours_stays_and_another_is_built_beside_it() -> None:
    checkup, _ = examined(next(name for name in NAMES if name.startswith("cudnn-missing")))
    assert checkup.subject is not None
    assert checkup.cause is not None
    own = replace(checkup, subject=replace(checkup.subject, ours=True))
    [step] = mends(own, checkup.cause)
    assert step.argv[:2] == ("up", "tensorflow")
    assert step.argv[-1] == f"{checkup.subject.path}-new"


def test_nothing_is_built_where_what_fits_would_not_use_the_card_either() -> None:
    checkup, _ = examined(next(name for name in NAMES if name.startswith("cudnn-missing")))
    assert checkup.cause is not None
    lost = replace(checkup, solution=replace(checkup.solution, status="gpu-after-change"))
    [step] = mends(lost, checkup.cause)
    assert step.argv == ()
