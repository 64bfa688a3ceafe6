"""`trueup bench`, from the command line: text in both languages, data by its schema, pictures, mistakes."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from trueup.cli.main import run
from trueup.proof.bench import Bench, Conditions, Figure, PassedOver, judge
from trueup.proof.bench.model import Limits
from trueup.proof.model import Outcome
from trueup.report import bench as words
from trueup.report import say

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA = json.loads((Path(say.__file__).with_name("schemas") / "bench-1.json").read_text("utf-8"))
NAMES = [name.removeprefix("figure-") for name in say.catalog("en", "bench") if name.startswith("figure-")]
CARD = Limits("NVIDIA GeForce RTX 3060", {"fp32": 12.7, "tf32": 12.7, "fp16": 25.5, "bf16": 25.5}, 360.0, 170)
HOT = Conditions(clock=0.5, hot=0.9, gen=3, width=4, gen_max=4, width_max=16, samples=12)
RATES = {"flop": 5.5e12, "byte": 5e9, "image": 900.0}


def unit_of(name: str) -> str:
    if name.startswith(("matmul", "conv")):
        return "flop"
    return "byte" if name.startswith(("memory", "copy")) else "image"


FIGURES = tuple(
    Figure(name, unit_of(name), RATES[unit_of(name)], (0.9, 1.0, 1.1), {"side": "4096"}) for name in NAMES
)
BENCH = Bench(
    Outcome.PROVEN,
    "gpu",
    "tensorflow",
    "measure",
    31.0,
    date="2026-11-30T12:00:00+00:00",
    python="3.10.11",
    versions={"tensorflow": "2.10.1", "numpy": "1.23.5"},
    gpus=("NVIDIA GeForce RTX 3060 (8.6)",),
    tf32_default="on",
    figures=FIGURES,
    passed_over=(
        PassedOver("copy-to-pinned", "not-offered"),
        PassedOver("matmul-bf16", "failed", "no kernel\nmore"),
    ),
)


@pytest.fixture
def env(tmp_path: Path) -> Path:
    """Make what looks like an environment with TensorFlow."""
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "lib" / "python3.11" / "site-packages" / "tensorflow").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").symlink_to(sys.executable)
    return tmp_path / "env"


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[Bench], None]:
    """Let the bench answer at once, as the test sets it; no card is looked at."""
    told: list[Bench] = [BENCH]

    def measure(*_: Any, **more: Any) -> Bench:
        more["on_step"]("import", "")
        more["on_step"]("measure", "memory")
        return told[-1]

    monkeypatch.setattr("trueup.proof.bench.measure", measure)
    return told.append


def told_of(bench: Bench) -> words.Told:
    return words.Told(bench, judge(bench, CARD, HOT), HOT)


@pytest.mark.usefixtures("answers")
def test_data_obeys_its_schema_and_leaves_talk_out(env: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--env", str(env), "--json"]) == 1
    out, err = capsys.readouterr()
    answer = json.loads(out)
    Draft202012Validator(SCHEMA).validate(answer)
    assert err == ""
    assert answer["figures"][0]["limit"] == 12.7e12


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_every_figure_and_reason_is_worded(lang: str) -> None:
    told = told_of(BENCH)
    text = words.as_text(told, lang)
    for figure in BENCH.figures:
        assert words.name_of(figure.name, lang) in text
    assert "no kernel" in text
    assert "more" not in text.split("no kernel")[1][:6]
    assert words.as_data(told, lang)["grade"] == "far-below"


@pytest.mark.parametrize("outcome", [o for o in Outcome if o not in {Outcome.PROVEN, Outcome.INACCURATE}])
@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_every_ending_is_worded_with_a_next_step(outcome: Outcome, lang: str) -> None:
    bench = replace(
        BENCH, outcome=outcome, during="memory", ending="SIGSEGV", words="@x: boom", last_lines=("last",)
    )
    told = told_of(bench)
    text = words.as_text(told, lang)
    assert words.as_data(told, lang)["hint"] in text
    assert "| last" in text


def test_exit_statuses(
    env: Path, answers: Callable[[Bench], None], capsys: pytest.CaptureFixture[str]
) -> None:
    good = tuple(replace(one, amount=one.amount * 2) for one in FIGURES if one.name == "matmul-fp32")
    for bench, status in (
        (replace(BENCH, figures=good), 0),
        (replace(BENCH, outcome=Outcome.CPU_FALLBACK, gpus=(), figures=()), 4),
        (replace(BENCH, outcome=Outcome.CRASHED), 1),
    ):
        answers(bench)
        assert run(["bench", "--env", str(env)]) == status
    assert "12.7 TFLOP/s" in capsys.readouterr().out


def test_comparing_with_an_earlier_answer(
    env: Path, answers: Callable[[Bench], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = tmp_path / "old.json"
    old.write_text(json.dumps(words.as_data(told_of(BENCH), "en")), "utf-8")
    slower = replace(FIGURES[0], amount=FIGURES[0].amount / 4)
    answers(replace(BENCH, figures=(slower, *FIGURES[1:-1]), versions={"tensorflow": "2.18.0"}))
    assert run(["bench", "--env", str(env), "--compare", str(old)]) == 1
    out = capsys.readouterr().out
    assert "0.25x" in out
    assert "then 2.10.1, now 2.18.0" in out
    assert "measured only then" in out


@pytest.mark.usefixtures("answers")
def test_a_picture_is_well_formed_and_tells_its_values(env: Path, tmp_path: Path) -> None:
    path = tmp_path / "b & c.svg"
    assert run(["--lang", "zh", "bench", "--env", str(env), "-o", str(path)]) == 1
    page = ET.fromstring(path.read_text("utf-8"))  # noqa: S314  # our own file
    told = next(part.text for part in page if part.tag.endswith("desc"))
    assert told is not None
    assert "矩阵乘法 FP32" in told
    assert "43 %" in told


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--compare", "nothing.json"], "nothing.json"),
        (["-o", "picture.png"], "picture.png"),
        (["-o", "nowhere/at/all.svg"], "nowhere/at/all.svg"),
        (["--seconds", "1"], "seconds"),
        (["--env", "no-such-folder"], "no-such-folder"),
    ],
)
@pytest.mark.usefixtures("answers")
def test_mistakes_are_named(
    env: Path, arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", "--env", str(env), *arguments]) == 2
    assert named in capsys.readouterr().err


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": "trueup.bench/1", "figures": [{"rate": 0}]}', "\x00"]
)
@pytest.mark.usefixtures("answers")
def test_what_is_no_bench_is_refused(env: Path, tmp_path: Path, text: str) -> None:
    old = tmp_path / "old.json"
    old.write_text(text, "utf-8")
    assert run(["bench", "--env", str(env), "--compare", str(old)]) == 2


def test_an_environment_without_a_framework_is_refused(env: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (env / "lib" / "python3.11" / "site-packages" / "tensorflow").rmdir()
    assert run(["bench", "--env", str(env)]) == 2
    assert "trueup up" in capsys.readouterr().err
