"""`trueup fit-batch`, from the command line: text in both languages, data by its schema, lines for a script, mistakes."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest
from jsonschema import Draft202012Validator

from trueup.cli.main import run
from trueup.proof.batch import Found, Options, Study, Trial
from trueup.proof.model import Outcome
from trueup.report import batch as words
from trueup.report import say

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = json.loads((Path(say.__file__).with_name("schemas") / "fit-batch-1.json").read_text("utf-8"))
OPTIONS = Options(32, 64, 4000.0)


def trial(batch: int, seconds: float, **more: Any) -> Trial:
    detail = {"policy": "mixed_float16" if more.get("mixed") else "float32"}
    options = replace(OPTIONS, batch=batch, **more)
    versions = {"tensorflow": "2.10.1"}
    return Trial(
        options, "fits", (seconds,), 10.0 * batch, gpus=("Card (8.6)",), versions=versions, detail=detail
    )


def too_large(batch: int) -> Trial:
    return Trial(replace(OPTIONS, batch=batch), "out-of-memory", words="OOM when allocating")


BASE = Found(
    "base", trial(96, 0.5), "memory", (trial(32, 0.2), trial(64, 0.4), trial(96, 0.5), too_large(128))
)
STUDY = Study(
    "gpu",
    "tensorflow",
    OPTIONS,
    (
        BASE,
        Found("mixed", trial(192, 0.6, mixed=True), "memory", (trial(192, 0.6, mixed=True),)),
        Found("smaller", None, "failed", (Trial(OPTIONS, "failed", words="@bad shape\nmore"),)),
    ),
    61.0,
    "2026-11-30T12:00:00+00:00",
    growth=(replace(trial(48, 0.3), taken_mb=9000.0), replace(trial(48, 0.3, growth=True), taken_mb=800.0)),
    skipped=("accumulate",),
)


def failed(one: Trial) -> Study:
    return replace(STUDY, found=(Found("base", None, "failed", (one,)),), growth=())


@pytest.fixture
def env(tmp_path: Path) -> Path:
    """Make what looks like an environment with TensorFlow."""
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "lib" / "python3.11" / "site-packages" / "tensorflow").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").symlink_to(sys.executable)
    return tmp_path / "env"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Study], None]:
    """Let the study answer at once, as the test sets it."""
    told: list[Study] = [STUDY]

    def study(_: Any, options: Options, **more: Any) -> Study:
        for variant in ("base", "mixed", "smaller", "growth", "accumulate"):
            more["on_trial"](variant, 32)
        return replace(told[-1], options=options)

    monkeypatch.setattr("trueup.proof.batch.study", study)
    return told.append


@pytest.mark.usefixtures("answers")
def test_data_obeys_its_schema(env: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fit-batch", "--env", str(env), "--json"]) == 0
    out, err = capsys.readouterr()
    answer = json.loads(out)
    Draft202012Validator(SCHEMA).validate(answer)
    assert err == ""
    assert [one["largest"] for one in answer["found"]] == [96, 192, None]


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_the_remedies_come_in_the_guides_order_with_numbers(lang: str) -> None:
    text = words.as_text(STUDY, lang)
    places = [text.index(one) for one in ("1. ", "mixed_float16", "800 MB", "bad shape", "tf.recompute_grad")]
    assert places == sorted(places)
    assert "96" in text.splitlines()[0]
    assert "more" not in text.split("bad shape")[1][:6]


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("expected", ["gpu", "cpu"])
def test_what_is_not_known_is_said(lang: str, expected: Any) -> None:
    bare = replace(
        STUDY, expected=expected, found=(BASE,), growth=(), skipped=("mixed", "smaller", "accumulate")
    )
    data = words.as_data(bare, lang)
    Draft202012Validator(SCHEMA).validate(data)
    assert len(data["remedies"]) == 6


def test_a_remedy_whose_first_trial_was_too_slow_is_not_said_to_fail() -> None:
    slow = Found("mixed", None, "time", (Trial(OPTIONS, "slow"),))
    [mixed] = [
        line
        for line in words.as_data(replace(STUDY, found=(BASE, slow)), "en")["remedies"]
        if "mixed" in line
    ]
    assert mixed == "mixed precision: not tried for want of time; `--seconds` gives more"


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
@pytest.mark.parametrize("outcome", [o for o in Outcome if o is not Outcome.PROVEN])
def test_every_failure_is_worded_with_a_next_step(lang: str, outcome: Outcome) -> None:
    one = Trial(OPTIONS, "failed", words="@boom", outcome=outcome, last_lines=("last",))
    for model in (None, "net.py:build"):
        told = replace(failed(one), options=replace(OPTIONS, model=model))
        text = words.as_text(told, lang)
        assert words.as_data(told, lang)["hint"] in text
        assert "| last" in text


@pytest.mark.parametrize("ending", ["out-of-memory", "crashed", "slow"])
def test_not_even_one_is_an_answer(
    env: Path, answers: Callable[[Study], None], ending: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(failed(Trial(OPTIONS, ending, words="x")))
    assert run(["--lang", "zh", "fit-batch", "--env", str(env), "--script"]) == 1
    assert "--side" in capsys.readouterr().out


def test_a_fallback_has_its_own_exit_status(env: Path, answers: Callable[[Study], None]) -> None:
    answers(failed(Trial(OPTIONS, "failed", outcome=Outcome.CPU_FALLBACK)))
    assert run(["fit-batch", "--env", str(env)]) == 4


@pytest.mark.parametrize("framework", ["tensorflow", "torch"])
@pytest.mark.parametrize("expected", ["gpu", "cpu"])
def test_the_lines_for_a_script_are_python_with_the_measured_batch(framework: str, expected: Any) -> None:
    text = words.script(replace(STUDY, framework=framework, expected=expected), "en")
    compile(text, "script", "exec")
    assert "BATCH = 192" in text
    slower = Found("mixed", trial(192, 60.0, mixed=True), "memory", ())
    text = words.script(replace(STUDY, framework=framework, found=(BASE, slower)), "zh_CN")
    assert "BATCH = 96" in text
    assert "mixed_precision" not in text


@pytest.mark.usefixtures("answers")
def test_a_picture_has_a_line_for_each_way(env: Path, tmp_path: Path) -> None:
    path = tmp_path / "batch.svg"
    assert run(["fit-batch", "--env", str(env), "-o", str(path)]) == 0
    page = ET.fromstring(path.read_text("utf-8"))  # noqa: S314  # our own file
    assert sum(part.tag.endswith("}polyline") for part in page.iter()) == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--model", "nothing.py:build"], "nothing.py:build"),
        (["--model", "build"], "build"),
        (["--side", "2"], "side"),
        (["-o", "batch.png"], "batch.png"),
    ],
)
@pytest.mark.usefixtures("answers")
def test_mistakes_are_named(
    env: Path, arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["fit-batch", "--env", str(env), *arguments]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.usefixtures("answers")
def test_a_machine_that_would_swap_is_left_alone(
    env: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Memory:
        available = 500e6
        total = 8e9

    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    assert run(["fit-batch", "--env", str(env), "--device", "cpu"]) == 2
    assert "500 MB" in capsys.readouterr().err


def test_the_cap_never_exceeds_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    from trueup.cli.fit_batch import _cap

    class Memory:
        available = 10e9

    monkeypatch.setattr(psutil, "virtual_memory", Memory)
    assert _cap("cpu", None) == 6000
    assert _cap("cpu", 100_000) == 6000
    assert _cap("cpu", 700) == 700
