"""The commands, as a user calls them."""

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from trueup.cli.main import run

CASES = Path(__file__).parent / "cases.jsonl"
NVCC = "The detected CUDA version (11.8) mismatches the version that was used to compile PyTorch (12.1)\n"


def schema() -> dict[str, Any]:
    text = resources.files("trueup.report").joinpath("schemas", "diagnose-1.json").read_text("utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def test_a_fault_is_named_with_its_line_and_exit_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("first\n" + NVCC, "utf-8")
    assert run(["--lang", "en", "diagnose", str(log)]) == 1
    out = capsys.readouterr().out
    assert "[nvcc-torch-cuda-mismatch]" in out
    assert "line 2: The detected CUDA version (11.8)" in out
    assert "What to do:" in out


def test_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.txt"
    log.write_text(NVCC, "utf-8")
    assert run(["--lang", "zh", "diagnose", str(log)]) == 1
    assert "怎么办" in capsys.readouterr().out


def test_harmless_is_exit_status_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.txt"
    log.write_text("TF-TRT Warning: Could not find TensorRT\nEpoch 1/10\n", "utf-8")
    assert run(["--lang", "en", "diagnose", str(log), "--os", "linux"]) == 0
    assert "line 1: TF-TRT Warning" in capsys.readouterr().out


def test_nothing_known_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "log.txt"
    log.write_text("hello world\n", "utf-8")
    assert run(["--lang", "en", "diagnose", str(log)]) == 0
    assert "do not tell the cause" in capsys.readouterr().out


def test_given_facts_decide(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, given = tmp_path / "log.txt", tmp_path / "given.json"
    log.write_text(
        "Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found", "utf-16"
    )
    for release, cause in (("2.8", "cuda-toolkit-missing"), ("2.15", "tf-windows-gpu-ended-at-2-10")):
        given.write_text(json.dumps({"tensorflow": release}), "utf-8")
        run(["diagnose", str(log), "--given", str(given), "--os", "windows-native", "--json"])
        answer = json.loads(capsys.readouterr().out)
        jsonschema.validate(answer, schema())
        assert answer["causes"][0]["id"] == cause


@pytest.mark.parametrize(
    "args",
    [
        ["diagnose"],
        ["diagnose", "no-such-file.txt"],
        ["diagnose", "--batch", "no-such-file.jsonl"],
        ["explain", "zzzz qqqq"],
        ["run", "--", "no-such-program-at-all"],
    ],
)
def test_mistakes_are_exit_status_2_with_a_hint(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--lang", "en", *args]) == 2
    err = capsys.readouterr().err
    assert "error:" in err
    assert "hint:" in err


@pytest.mark.parametrize("text", ["[1, 2]", "{", '"x"'])
def test_given_must_be_an_object(text: str, tmp_path: Path) -> None:
    given = tmp_path / "given.json"
    given.write_text(text, "utf-8")
    assert run(["diagnose", "-", "--given", str(given)]) == 2


def test_batch_answers_each_case_in_the_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--lang", "en", "diagnose", "--batch", str(CASES)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    wanted = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    assert [row["id"] for row in rows] == [case["id"] for case in wanted]
    for row in rows:
        jsonschema.validate(row["answer"], schema())


def test_batch_names_the_bad_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"id": 1, "log": ["x"]}\nnot json\n', "utf-8")
    assert run(["--lang", "en", "diagnose", "--batch", str(cases)]) == 2
    assert "line 2" in capsys.readouterr().err


@pytest.mark.parametrize("line", ['{"id": 1, "log": ' + "[" * 100_000, "[" * 100_000])
def test_batch_without_a_bottom_is_a_mistake(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(line, "utf-8")
    assert run(["--lang", "en", "diagnose", "--batch", str(cases)]) == 2
    assert "line 1" in capsys.readouterr().err


def test_batch_as_powershell_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    log = "Could not load dynamic library 'cudnn64_8.dll'; dlerror: cudnn64_8.dll not found\u2028next"
    cases.write_text(json.dumps({"id": "a", "log": log}, ensure_ascii=False) + "\n", "utf-16")
    assert run(["diagnose", "--batch", str(cases)]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "a"


def test_batch_that_is_no_text_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_bytes(b"\xff\xfe\x00\xa7")
    assert run(["--lang", "en", "diagnose", "--batch", str(cases)]) == 2
    assert "not a case" in capsys.readouterr().err


def test_explain_a_cause_and_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--lang", "en", "explain", "zlibwapi-missing"]) == 0
    by_name = capsys.readouterr().out
    assert (
        run(
            [
                "--lang",
                "en",
                "explain",
                "Could not locate zlibwapi.dll. Please make sure it is in your library path!",
            ]
        )
        == 0
    )
    assert capsys.readouterr().out == by_name


def program(code: str) -> list[str]:
    return ["--lang", "en", "run", "--", sys.executable, "-c", code]


def test_run_passes_output_and_status_on(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(program("print('fine')")) == 0
    assert "fine" in capfd.readouterr().out


@pytest.mark.parametrize("name", ["windows", "windows-native"])
def test_windows_is_known_by_both_names(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("Could not load dynamic library 'cudart64_110.dll'; dlerror: cudart64_110.dll not found\n")
    given = tmp_path / "given.json"
    given.write_text('{"tensorflow": "2.13"}')
    assert run(["diagnose", str(log), "--given", str(given), "--os", name, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["causes"][0]["id"] == "tf-windows-gpu-ended-at-2-10"


def test_run_diagnoses_a_failure(capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        run(program("import sys; sys.stderr.write('CUDA error: invalid device ordinal\\n'); sys.exit(5)"))
        == 5
    )
    assert "[device-index-out-of-range]" in capfd.readouterr().err


def test_run_diagnoses_a_fall_back_to_the_cpu(capfd: pytest.CaptureFixture[str]) -> None:
    said = "A CUDA-enabled jaxlib is not installed. Falling back to cpu."
    assert run(program(f"print('An NVIDIA GPU may be present on this machine, but {said.lower()}')")) == 0
    assert "cpu-only-build-installed" in capfd.readouterr().err


def test_run_is_silent_about_a_program_that_works(capfd: pytest.CaptureFixture[str]) -> None:
    assert run(program("print('TF-TRT Warning: Could not find TensorRT')")) == 0
    assert not capfd.readouterr().err


@pytest.mark.parametrize(("lang", "way"), [("en", "`trueup run -- PROGRAM`"), ("zh", "`trueup run -- 程序`")])
def test_a_text_that_tells_nothing_names_a_way_on(
    lang: str, way: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.txt"
    log.write_text("hello\n")
    assert run(["--lang", lang, "diagnose", str(log)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert way in lines[1]
    assert "`trueup check`" in lines[1]
