"""`trueup audit` from the outside."""

from __future__ import annotations

import io
import json
import re
import sys
import time
from importlib import resources
from typing import TYPE_CHECKING

import jsonschema
import pytest

from trueup.cli.main import run
from trueup.fit.audit import SEVERITIES, audit
from trueup.fit.audit.plain import DATA, table

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "audit-1.json").read_text("utf-8"))
WRONG = "Windows 下 TensorFlow 2.15 配 CUDA 11.8。\n"


def messages(lang: str) -> dict[str, str]:
    text = resources.files("trueup.report").joinpath("messages", lang, "audit.json").read_text("utf-8")
    loaded: dict[str, str] = json.loads(text)
    return loaded


def test_findings_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "guide.txt"
    file.write_text(WRONG, "utf-8")
    assert run(["audit", str(file), "--lang", "en"]) == 1
    out = capsys.readouterr().out
    assert "for native Windows" in out
    assert "[wrong] TensorFlow 2.15 has no GPU build for native Windows; 2.10 was the last" in out
    assert "[wrong] TensorFlow 2.15 is built for CUDA 12.2, not 11.8" in out
    assert "line 1, column 11: TensorFlow 2.15 配 CUDA 11.8" in out
    assert run(["audit", str(file), "--lang", "zh"]) == 1
    assert "[错误] TensorFlow 2.15 是针对 CUDA 12.2 编译的，而不是 11.8" in capsys.readouterr().out


def test_nothing_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("tensorflow==2.18.1\n", "utf-8")
    assert run(["audit", str(file), "--lang", "en"]) == 0
    assert "nothing wrong found" in capsys.readouterr().out
    file.write_text("# nothing\n", "utf-8")
    assert run(["audit", str(file), "--lang", "en"]) == 0
    assert "no version, install command or setting was found" in capsys.readouterr().out


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030"])
def test_encodings(encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "guide.txt"
    file.write_bytes(WRONG.replace("\n", "\r\n").encode(encoding))
    assert run(["audit", str(file), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    quotes = {place["quote"] for f in answer["files"][0]["findings"] for place in f["places"]}
    assert quotes == {"TensorFlow 2.15 配 CUDA 11.8"}


def test_several_files_as_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = tmp_path / "guide.md", tmp_path / "requirements.txt"
    one.write_text(WRONG, "utf-8")
    other.write_text("tensorflow-gpu\n", "utf-8")
    assert run(["audit", str(one), str(other), "--json", "--os", "windows-native"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert [file["kind"] for file in answer["files"]] == ["text", "requirements"]
    assert [f["rule"] for f in answer["files"][1]["findings"]] == ["gone-package"]


def test_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
    assert run(["audit", "-", "--lang", "en"]) == 1
    assert capsys.readouterr().out.startswith("-: for native Windows")


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit", str(tmp_path / "none.txt"), "--lang", "en"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "none.txt" in said.err
    assert "hint: name a requirements.txt" in said.err


def test_each_rule_of_the_data_has_its_words_and_its_source() -> None:
    data = table("advice")
    english = messages("en")
    for row in data["rules"]:
        assert row["severity"] in SEVERITIES
        assert row["source"] in data["sources"]
        assert {row["id"], f"{row['id']}-right"} <= english.keys()
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\d", source["date"]) for source in data["sources"].values())
    assert {source.name for source in DATA.iterdir()} == {"advice.json", "characters.json", "companions.json"}


def test_a_long_text_takes_time_in_proportion() -> None:
    from trueup import facts

    def seconds(times: int) -> float:
        text = (
            "Windows: TensorFlow 2.15 with CUDA 11.8. pip install tensorflow-gpu==2.10.0 -i "
            + "a" * 400
            + "\n"
        ) * times
        start = time.process_time()
        audit(text, "guide.md", facts.load())
        return time.process_time() - start

    seconds(1)
    assert seconds(80) < 12 * max(seconds(20), 0.02)
