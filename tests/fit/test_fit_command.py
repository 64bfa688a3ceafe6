"""`trueup solve` as it is typed."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fit_expect import misses

from trueup.cli.main import run

DESCRIBED = ["--os", "windows", "--gpu", "RTX 3060", "--driver", "536.67", "--os-build", "10.0.22631"]
WINDOWS = {"os": "windows", "gpus": [{"name": "RTX 3060"}], "driver": "536.67"}
SCENARIOS = Path(__file__).with_name("scenarios.jsonl")


def schema(name: str) -> Any:
    return json.loads(resources.files("trueup.report").joinpath("schemas", name).read_text("utf-8"))


def typed(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    status = run(["--lang", "en", "solve", *args])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_a_machine_in_short(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = typed(capsys, "tensorflow", *DESCRIBED)
    assert status == 0
    assert out.splitlines()[0] == "fits as the machine is"
    assert "native Windows: tensorflow 2.10.1; Python 3.9; CUDA 11.2" in out


def test_not_aligned_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = typed(capsys, "tensorflow==2.16.*", *DESCRIBED)
    assert status == 1
    assert (
        "enable WSL2 and install Ubuntu in it: `wsl --install -d Ubuntu` (needs an administrator, needs a restart)"
        in out
    )


def test_explain_shows_rules_and_sources(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = typed(capsys, "tensorflow", *DESCRIBED, "--explain")
    assert "tf-windows-gpu-ended: TensorFlow's GPU builds for native Windows ended with 2.10.1 [" in out
    assert "native Windows: tensorflow 2.4.4 to 2.4.0: 5 releases" in out, "what fails alike stands together"


def test_json_keeps_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = typed(capsys, "tensorflow", *DESCRIBED, "--json")
    answer = json.loads(out)
    jsonschema.validate(answer, schema("solve-1.json"))
    assert answer["best"]["packages"]["nvidia-cudnn-cu11"].startswith("8.")


def test_limits_of_the_route(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = typed(capsys, "tensorflow>=2.16", *DESCRIBED, "--no-wsl", "--json")
    assert (status, json.loads(out)["status"]) == (1, "cpu-only")
    status, out, _ = typed(capsys, "tensorflow>=2.16", *DESCRIBED, "--no-wsl", "--gpu-required", "--json")
    assert (status, json.loads(out)["status"]) == (1, "impossible")
    status, out, _ = typed(capsys, "tensorflow>=2.16", *DESCRIBED, "--no-wsl", "--gpu", "required", "--json")
    assert (status, json.loads(out)["status"]) == (1, "impossible")
    _, out, _ = typed(capsys, "tensorflow", *DESCRIBED, "--route", "directml", "--json")
    assert json.loads(out)["best"]["route"] == "directml"
    _, out, _ = typed(capsys, "tensorflow", *DESCRIBED, "--prefer", "newest", "--python", "3.11", "--json")
    assert (json.loads(out)["best"]["route"], json.loads(out)["best"]["python"]) == ("wsl2", "3.11")


def test_no_driver_and_no_card(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = typed(
        capsys, "tensorflow", "--os", "windows", "--gpu", "RTX 3060", "--driver", "none", "--json"
    )
    assert [c["id"] for c in json.loads(out)["best"]["changes"]] == ["install-driver"]


def test_a_machine_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "机器 1.json"
    file.write_text(json.dumps(WINDOWS), "utf-8-sig")
    status, out, _ = typed(capsys, "tensorflow", "--machine", str(file))
    assert (status, out.splitlines()[0]) == (0, "fits as the machine is")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON: line 1, column 2"),
        ('{"os": "windows", "driver": 5}', "`driver` must be a driver as nvidia-smi prints it"),
        ('{"os": "windows", "gpu": []}', "`gpu` is not a key of a machine"),
    ],
)
def test_a_wrong_machine_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str, said: str
) -> None:
    file = tmp_path / "machine.json"
    file.write_text(content)
    status, out, err = typed(capsys, "tensorflow", "--machine", str(file))
    assert (status, out) == (2, "")
    assert said in err
    assert "hint: " in err


def test_several_machines_share_an_environment(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name, card in (("a", "RTX 3060"), ("b", "GTX 1080"), ("c", "RTX 5090")):
        (tmp_path / f"{name}.json").write_text(
            json.dumps({**WINDOWS, "gpus": [{"name": card}], "driver": "576.02"})
        )
    files = [str(tmp_path / f"{name}.json") for name in "abc"]
    status, out, _ = typed(capsys, "torch", "--machine", *files, "--json")
    answer = json.loads(out)
    jsonschema.validate(answer, schema("solve-fleet-1.json"))
    assert status == 0
    groups = [[(m["machine"], m["best"]["cuda"]) for m in group] for group in answer["environments"]]
    assert [[name for name, _ in group] for group in groups] == [["a", "b"], ["c"]]
    assert [group[0][1] for group in groups] == ["12.6", "12.8"]
    _, text, _ = typed(capsys, "torch", "--machine", *files)
    assert text.splitlines()[:2] == ["2 environments are needed", "a, b"]


def test_a_batch(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = typed(capsys, "--batch", str(SCENARIOS))
    assert status == 0
    questions = [json.loads(line) for line in SCENARIOS.read_text("utf-8").splitlines()]
    answers = [json.loads(line) for line in out.splitlines()]
    assert [a["id"] for a in answers] == [q["id"] for q in questions]
    wrong = [
        q["id"] for q, a in zip(questions, answers, strict=True) if list(misses(q["expect"], a["answer"]))
    ]
    assert wrong == []


def test_a_batch_as_powershell_writes_it_and_one_without_a_bottom(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "b.jsonl"
    first = SCENARIOS.read_text("utf-8").splitlines()[0]
    path.write_text(f"{first}\n{'[' * 100_000}\n", "utf-16")
    status, out, err = typed(capsys, "--batch", str(path))
    right, wrong = map(json.loads, out.splitlines())
    assert (status, right["id"], wrong["answer"]) == (2, json.loads(first)["id"], None)
    assert "line 2" in err


def test_a_batch_without_a_question_is_a_mistake(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text("\n \n")
    status, out, err = typed(capsys, "--batch", str(tmp_path / "b.jsonl"))
    assert (status, out) == (2, "")
    assert "holds no question" in err
    assert '"want"' in err


def test_a_wrong_line_of_a_batch_does_not_end_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = ["nonsense", '{"id": 1}', '{"id": 2, "machine": {"os": "x"}, "want": ["torch"]}', "",
             '{"id": 3, "machine": {"os": "linux"}, "want": ["torch"]}']  # fmt: skip
    (tmp_path / "b.jsonl").write_text("\n".join(lines))
    status, out, err = typed(capsys, "--batch", str(tmp_path / "b.jsonl"))
    assert status == 2
    answers = [json.loads(line) for line in out.splitlines()]
    assert [(a["id"], a["answer"] is None) for a in answers] == [
        (None, True),
        (1, True),
        (2, True),
        (3, False),
    ]
    assert "line 3: `os` must be one of windows, wsl2, linux, macos; found 'x'" in err


@pytest.mark.parametrize(
    ("args", "said", "hint"),
    [
        (("tensorfow", "--os", "linux"), "`tensorfow` is not a framework", "did you mean: tensorflow"),
        (("tensorflow", "--gpu", "RTX 3060"), "`--gpu` describes a machine", "add `--os windows`"),
        (("tensorflow", "--os", "linux", "--driver", "new"), "`driver` must be a driver", "the keys are"),
        (("tensorflow", "--os", "linux", "--python", "x"), "`x` is not a Python version", "3.10"),
        (
            ("tensorflow", "--batch", "b"),
            "`--batch` takes its wishes from the file",
            "leave the requirements",
        ),
        (
            ("tensorflow", "--machine", "none.json"),
            "`none.json` could not be read: No such file",
            "check the path",
        ),
        (("tensorflow", "--machine", "a.json", "--os", "linux"), "exclude each other", "leave the file out"),
        (("--batch", "none.jsonl"), "`none.jsonl` cannot be read", "check the path"),
        (("--os", "linux"), "no framework was named", "trueup knows: tensorflow"),
    ],
)
def test_mistakes_name_the_way_out(
    capsys: pytest.CaptureFixture[str], args: tuple[str, ...], said: str, hint: str
) -> None:
    status, out, err = typed(capsys, *args)
    assert (status, out) == (2, "")
    assert said in err
    assert hint in err
