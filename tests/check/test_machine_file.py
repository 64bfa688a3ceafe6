"""Files of machines, as people hand them over: recorded, described, inside a page, in PowerShell's encoding."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from examined import examined

from trueup.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

RECORDED = json.dumps(examined("aligned--windows-tf210-hook")[1])
DESCRIBED = (
    '{"os": "windows", "gpus": [{"name": "NVIDIA GeForce RTX 3060"}], "driver": "536.67", "pythons": []}'
)
PAGE = '<!doctype html>\n<html><script type="application/json" id="trueup-machine">{}</script></html>'


def outcome(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_a_recording_in_each_encoding(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pc.json"
    path.write_bytes(RECORDED.replace("\n", "\r\n").encode(encoding))
    assert run(["check", "--json", "--machine", str(path)]) == 0
    assert outcome(capsys)["outcome"] == "aligned"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_description_in_each_encoding(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pc.json"
    path.write_bytes(DESCRIBED.encode(encoding))
    assert run(["solve", "tensorflow", "--json", "--machine", str(path)]) == 0
    assert outcome(capsys)["status"] == "gpu"


def test_a_recording_is_a_machine_to_every_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pc.json"
    path.write_text(RECORDED, "utf-8")
    assert run(["solve", "tensorflow", "--json", "--machine", str(path)]) == 0
    assert outcome(capsys)["status"] == "gpu"


def test_a_page_that_carries_its_machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.html"
    path.write_text(PAGE.format(RECORDED.replace("</", "<\\/")), "utf-8")
    assert run(["check", "--json", "--machine", str(path)]) == 0
    assert outcome(capsys)["outcome"] == "aligned"


@pytest.mark.parametrize("text", [RECORDED, PAGE.format(RECORDED)])
def test_a_machine_from_a_pipe(
    text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["check", "--json", "--machine", "-"]) == 0
    assert outcome(capsys)["outcome"] == "aligned"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"os": "windows", "os": "linux"}', "the key `os` stands twice"),
        ('{"os": "windows", "disk_free_gb": NaN}', "`NaN` is no number"),
        ('{"os": "windows", "disk_free_gb": -Infinity}', "`-Infinity` is no number"),
        ('{"os": "windows", "disk_free_gb": 1e999}', "`disk_free_gb` must be a number of gigabytes"),
        ("<html>nothing</html>", "is a page that carries no machine"),
        ("{", "is not JSON: line 1, column 2"),
        ("[" * 100_000, "could not be read"),
        (f'{{"os": {"9" * 5000}}}', "could not be read"),
        ("", "is not JSON: line 1, column 1"),
    ],
)
@pytest.mark.parametrize("command", ["solve", "lock"])
def test_what_is_wrong_has_its_reason(
    command: str, text: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pc.json"
    path.write_text(text, "utf-8")
    assert run([command, "tensorflow", "--lang", "en", "--machine", str(path)]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "hint: " in err


def test_a_recorded_machine_imports_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", "--live", "--machine", "-", "--lang", "en"]) == 2
    assert "a recorded machine cannot" in capsys.readouterr().err


def test_a_recording_remembers_its_environment_and_the_scripts_beside_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], check=True)
    site = next((tmp_path / ".venv").glob("lib/python3.*/site-packages"))
    (site / "tensorflow" / "python" / "platform").mkdir(parents=True)
    (site / "tensorflow" / "python" / "platform" / "build_info.py").write_text(
        "x = {'is_cuda_build': False}\n"
    )
    (site / "tensorflow-2.15.1.dist-info").mkdir()
    (tmp_path / "tensorflow.py").touch()
    run(["check", "--json", "--save", "pc.json"])
    first = outcome(capsys)
    run(["check", "--json", "--machine", "pc.json"])
    again = outcome(capsys)
    assert "script-shadows-package" in [one["id"] for one in first["findings"]]
    assert again["findings"] == first["findings"]
    assert again["environment"]["frameworks"][0]["version"] == "2.15.1"
