"""The way from findings to what mends them, on the recorded machines, and on one that changes as steps are taken."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from examined import MACHINES, NAMES, examined
from world import World, load

import trueup.diagnose.findings
from trueup.cli.main import COMMANDS
from trueup.diagnose.findings import Checkup, check
from trueup.diagnose.findings.order import ORDER, rank
from trueup.diagnose.mend.route import mends, route, tables
from trueup.diagnose.mend.walk import walk
from trueup.facts import load as load_facts
from trueup.keep.tune.knowledge import rows
from trueup.machine.survey import read_survey
from trueup.report.doctor import end_text, route_text
from trueup.report.say import LANGUAGES, catalog, say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.diagnose.mend.model import Mend


FINDINGS = Path(trueup.diagnose.findings.__file__).parent


def test_every_step_is_a_command_and_every_reason_is_said() -> None:
    settings = {row.name for row in rows()}
    for half in tables().values():
        for row in half.values():
            assert row.get("steps") or row.get("yours"), "neither a step nor a reason"
            for words in row.get("steps", ()):
                assert words[0] in COMMANDS
                assert words[0] != "tune" or words[1] in settings
            for lang in LANGUAGES:
                assert say(Message(f"doctor.why-{row.get('yours', 'no-build')}"), lang)


def calls(name: str, owner: str | None = None) -> set[str]:
    """Return every text in the first argument of calls of a function in the room of findings."""
    found: set[str] = set()
    for file in FINDINGS.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            made = node.func
            plain = owner is None and isinstance(made, ast.Name) and made.id == name
            of = isinstance(made, ast.Attribute) and made.attr == name and ast.unparse(made.value) == owner
            if plain or of:
                texts = (one for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant))
                found |= {one.value for one in texts if isinstance(one.value, str)}
    return found


def findings_that_can_be() -> set[str]:
    """Return what may be found and is not simply in order: all that is said, but for ways out and evidence."""
    said = set(catalog("en", "findings"))
    evidence = {text.removeprefix("findings.") for text in calls("Message") if text.startswith("findings.")}
    remedies = calls("say", "remedies")
    asked = calls("problem") | calls("notice") | calls("unknown") | calls("harmless")
    return (said - calls("ok") - evidence - remedies) | (asked & said)


def test_a_finding_without_a_row_is_not_forgotten() -> None:
    checked = set(tables()["check"])
    assert findings_that_can_be() - checked == set(), (
        "say in mends.json what mends it, or why nothing of ours does"
    )
    assert set(ORDER) <= checked
    assert checked - findings_that_can_be() == {"worked-before"}, "a row of a finding that is no more"


def test_what_the_machines_of_the_tests_show_has_a_row() -> None:
    shown = {one.id for name in NAMES for one in examined(name)[0].findings if one.status != "ok"}
    assert shown <= set(tables()["check"])


def test_a_finding_of_a_toolkit_without_a_row_is_not_forgotten() -> None:
    said = {code.removeprefix("found-") for code in catalog("en", "cuda") if code.startswith("found-")}
    assert said == set(tables()["cuda"])


@pytest.mark.parametrize("name", NAMES)
def test_whoever_has_a_turn_is_told_why(name: str) -> None:
    for step in route(examined(name)[0]):
        assert bool(step.argv) != bool(step.why)
        for lang in LANGUAGES:
            assert "{" not in step.command
            assert step.why is None or say(Message(step.why), lang)


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
    assert {took for _, took in walked.done} <= {"helped-not"}
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
    assert [took for _, took in walked.done] == ["helped", "helped"]
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
    step = mends(own, checkup.cause)[-1]
    assert step.argv[:2] == ("up", "tensorflow")
    assert step.argv[-1] == f"{checkup.subject.path}-new"


def test_nothing_is_built_where_what_fits_would_not_use_the_card_either() -> None:
    checkup, _ = examined(next(name for name in NAMES if name.startswith("cudnn-missing")))
    assert checkup.cause is not None
    lost = replace(checkup, solution=replace(checkup.solution, status="gpu-after-change"), line=None)
    [step] = mends(lost, checkup.cause)
    assert step.argv == ()
    assert step.why == "doctor.why-no-build"


CUDNN = "cudnn-missing--windows-toolkit-112"


def test_the_environment_gets_its_cuda_before_another_is_built() -> None:
    checkup, _ = examined(CUDNN)
    assert checkup.cause is not None
    assert checkup.subject is not None
    bring, build = mends(checkup, checkup.cause)
    assert bring.argv == ("cuda", "use", "11.8", "--env", checkup.subject.path)
    assert build.argv[0] == "up"


def test_a_cuda_that_the_framework_cannot_take_is_not_proposed() -> None:
    for name in NAMES:
        checkup, _ = examined(name)
        for step in route(checkup):
            if step.argv[:2] == ("cuda", "use"):
                assert checkup.line in step.argv or step.argv[2] == "11.2"
                assert checkup.subject is not None
                assert checkup.subject.kind != "installed"


def test_a_step_that_fails_is_told_and_the_next_way_is_taken() -> None:
    checkup, _ = examined(CUDNN)
    good, _ = examined(next(one for one in NAMES if one.startswith("aligned--")))
    state = {"now": checkup}

    def act(step: Mend) -> bool:
        if step.argv[0] == "up":
            state["now"] = good
        return step.argv[0] == "up"

    walked = walk(lambda: state["now"], act)
    assert [took for _, took in walked.done] == ["failed", "helped"]
    assert walked.end == "aligned"
    for lang in LANGUAGES:
        assert "trueup cuda use 11.8" in end_text(walked, lang)


def test_a_step_that_fails_and_yet_mends_has_helped() -> None:
    checkup, _ = examined(CUDNN)
    good, _ = examined(next(one for one in NAMES if one.startswith("aligned--")))
    seen = iter((checkup, good))
    walked = walk(lambda: next(seen), lambda _step: False)
    assert [took for _, took in walked.done] == ["helped"]


def test_what_is_not_ours_may_be_mended_in_place_and_ours_is_built_anew() -> None:
    name = next(name for name in NAMES if name.startswith("numpy-2-abi"))
    checkup, _ = examined(name)
    assert checkup.subject is not None
    assert checkup.cause is not None
    assert [step.argv[0] for step in mends(checkup, checkup.cause)] == ["env", "up"]
    for other in ({"ours": True}, {"kind": "installed"}, {"lacks_python": "C:\\gone\\python.exe"}):
        own = replace(checkup, subject=replace(checkup.subject, **other))
        assert [step.argv[0] for step in mends(own, checkup.cause)] == ["up"]
