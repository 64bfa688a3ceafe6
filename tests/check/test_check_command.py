"""`trueup check` from the outside: words, data, recordings, mistakes."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from examined import MACHINES, NAMES, examined
from world import World, load

from trueup.cli.main import run
from trueup.diagnose.findings import check
from trueup.facts import load as load_facts
from trueup.machine.survey import read_survey
from trueup.report.check import as_data
from trueup.report.say import LANGUAGES

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "check-1.json").read_text("utf-8"))
ENDED = "tf-windows-gpu-ended-at-2-10--tf219-beside-toolkit-12"


def recorded(name: str, folder: Path) -> str:
    path = folder / "machine.json"
    path.write_text(json.dumps(examined(name)[1]), "utf-8")
    return str(path)


def data(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    return answer


def test_text_names_cause_reason_and_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--lang", "en", "--machine", recorded(ENDED, tmp_path)]) == 1
    text = capsys.readouterr().out
    assert "NVIDIA GeForce RTX 3060, compute capability 8.6, 12.0 GB" in text
    assert "cause: tensorflow 2.19.0: on native Windows TensorFlow has no GPU support after 2.10" in text
    assert "\n       trueup up tensorflow --env .venv-gpu\n" in text
    assert "The driver knows CUDA up to 12.2, the toolkit is 12.4.1: that is no fault" in text
    assert "cudnn" not in text.lower().partition("what fits")[0], (
        "a missing cuDNN is no finding of a build without GPU"
    )


def test_chinese_text_keeps_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--lang", "zh", "--machine", recorded(ENDED, tmp_path)]) == 1
    text = capsys.readouterr().out
    assert "原因：tensorflow 2.19.0：在原生 Windows 上" in text
    assert "\n       trueup up tensorflow --env .venv-gpu\n" in text


@pytest.mark.parametrize("name", NAMES)
def test_data_follows_the_schema(name: str) -> None:
    for lang in LANGUAGES:
        jsonschema.validate(as_data(examined(name)[0], lang), SCHEMA)


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("aligned--windows-tf210-hook", 0),
        ("ready--linux-a100", 0),
        ("no-card--linux-intel-only", 1),
        (ENDED, 1),
    ],
)
def test_exit_status_and_data(
    name: str, status: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", "--json", "--machine", recorded(name, tmp_path)]) == status
    assert data(capsys)["schema"] == "trueup.check/1"


def test_an_environment_of_its_own_is_built_again_in_place() -> None:
    world = load(MACHINES / ENDED / "machine.json")
    files = {**world.data["files"], "D:\\project\\.venv\\trueup.json": "{}"}
    checkup = check(read_survey(World({**world.data, "files": files})), load_facts())
    assert checkup.command == "trueup up tensorflow"


def test_what_could_not_be_read_is_said_as_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(
        [
            "check",
            "--json",
            "--lang",
            "en",
            "--machine",
            recorded("unknown--linux-nvml-unknown-error", tmp_path),
        ]
    )
    answer = data(capsys)
    assert answer["outcome"] == "unknown"
    assert "NVML 999" in answer["machine"]["driver"]["unknown"]


def test_this_very_machine_can_be_saved_and_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    saved = tmp_path / "saved.json"
    first = run(["check", "--json", "--save", str(saved)])
    answer = data(capsys)
    again = run(["check", "--json", "--machine", str(saved)])
    assert (again, data(capsys)["findings"]) == (first, answer["findings"])


def test_markdown_names_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(Path(recorded(ENDED, tmp_path)).read_text("utf-8"))
    text = json.dumps(document).replace("C:\\\\Users\\\\user", "C:\\\\Users\\\\Jane Roe")
    path = tmp_path / "named.json"
    path.write_text(text, "utf-8")
    run(["check", "--markdown", "--lang", "en", "--machine", str(path)])
    out = capsys.readouterr().out
    assert "Jane" not in out
    assert out.startswith("### trueup check: not-aligned\n")


def test_markdown_is_english_with_the_verdict_in_the_other_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(["check", "--markdown", "--lang", "zh", "--machine", recorded(ENDED, tmp_path)])
    out = capsys.readouterr().out
    english, chinese, table = out.index("**cause: "), out.index("**原因："), out.index("| ok | card |")
    assert english < chinese < table
    assert out.count("   ```\n   trueup up tensorflow --env .venv-gpu\n   ```") == 2
    assert "显卡" not in out[table:]


def test_html_is_one_page_that_fetches_nothing(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run(["check", "--lang", "zh", "--machine", recorded(ENDED, tmp_path), "--html", str(page)])
    text = page.read_text("utf-8")
    assert '<html lang="zh-CN">' in text
    assert "原因：tensorflow 2.19.0" in text
    assert '<td class="problem">问题</td>' in text
    assert not re.search(r"<script|src=|href=|http", text)


def test_what_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = tmp_path / "none" / "page.html"
    assert run(["check", "--lang", "en", "--machine", recorded(ENDED, tmp_path), "--html", str(nowhere)]) == 2
    assert "could not be written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["check", "tensorflaw"], "`tensorflaw` is not a framework that trueup knows"),
        (["check", "--env", "nowhere"], "there is no Python environment in `nowhere`"),
        (["check", "--machine", "nowhere.json"], "`nowhere.json` could not be read"),
        (["check", "--machine", "described.json"], "this is no machine recording"),
        (["check", "--machine", "broken.json"], "`broken.json` is not JSON: line 1, column 2"),
        (["check", "--machine", "list.json"], "this is no machine recording"),
    ],
)
def test_a_mistake_is_told_and_has_a_way_out(
    words: list[str],
    told: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "described.json").write_text('{"os": "windows"}', "utf-8")
    (tmp_path / "broken.json").write_text("{", "utf-8")
    (tmp_path / "list.json").write_text("[]", "utf-8")
    assert run([*words, "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "hint: " in err
