"""Closed input, full output, an empty batch: the user's matter, never a fault of ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

TRUEUP = (sys.executable, "-m", "trueup", "--lang", "en")
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")


@pytest.mark.parametrize("words", [("diagnose", "-"), ("diagnose", "--batch", "-"), ("audit", "-")])
@pytest.mark.skipif(sys.platform == "win32", reason="a shell closes the input")
def test_closed_input_is_refused(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        ("sh", "-c", 'exec "$@" <&-', "sh", *TRUEUP, *words), capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "standard input is closed" in done.stderr


@needs_full
@pytest.mark.parametrize("words", [("diagnose", "-"), ("--version",), ("run", "--", "echo", "hello")])
def test_a_full_output_is_refused(words: tuple[str, ...]) -> None:
    with FULL.open("wb") as out:
        done = subprocess.run(
            (*TRUEUP, *words), input=b"hello", stdout=out, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert b"the output cannot be written" in done.stderr
    assert b"Traceback" not in done.stderr


def test_an_empty_batch_is_said(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text("\n\n", "utf-8")
    done = subprocess.run(
        (*TRUEUP, "diagnose", "--batch", str(cases)), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "holds no case" in done.stderr
