"""`trueup trace` from the outside."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib import resources
from typing import TYPE_CHECKING

import jsonschema
import pytest

from trueup.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = json.loads(resources.files("trueup.report").joinpath("schemas", "trace-1.json").read_text("utf-8"))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """Return a library that needs another, which was taken away."""
    if sys.platform != "linux" or shutil.which("gcc") is None:
        pytest.skip("needs gcc on Linux")
    for name, needs in (("low", []), ("top", ["-Wl,--no-as-needed", f"-L{tmp_path}", "-llow"])):
        (tmp_path / f"{name}.c").write_text(f"int {name}(void) {{ return 0; }}\n")
        target = tmp_path / f"lib{name}.so"
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", target, tmp_path / f"{name}.c", *needs], check=True)
    (tmp_path / "liblow.so").unlink()
    return tmp_path / "libtop.so"


def test_a_file_whose_library_is_missing(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", str(library), "--lang", "en"]) == 1
    text = capsys.readouterr().out
    assert "[!!]   liblow.so  not found" in text
    assert "missing: liblow.so, asked for by libtop.so\n  looked in: " in text


def test_data_follows_the_schema(library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", str(library), "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert answer["missing"] == ["liblow.so"]
    assert answer["complete"] is False


def test_a_bare_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["trace", "libnowhere.so.1", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    jsonschema.validate(answer, SCHEMA)
    assert [node["how"] for node in answer["nodes"]] == ["root"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["tensorflaw"], "`tensorflaw` is not a framework that trueup knows"),
        (["--env", "nowhere"], "there is no Python environment in `nowhere`"),
        (["tensorflow", "--env", "empty"], "tensorflow is not installed in"),
    ],
)
def test_mistakes(
    words: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "empty"], check=True)
    assert run(["trace", *words, "--lang", "en"]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "hint: " in err
