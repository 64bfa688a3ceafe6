"""Texts larger than a person writes: what names something is judged, and it is said where the rest is left out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from trueup.cli.main import run
from trueup.fit.audit.large import LARGE, MOST, stretches

if TYPE_CHECKING:
    from pathlib import Path

    from audit_judge import Judge

CLAIM = "TensorFlow 2.10 on Windows needs CUDA 12.4."
PROSE = "lorem ipsum dolor sit amet\n" * (LARGE // 20)


def test_a_claim_deep_in_a_large_text_is_judged_at_its_place(judge: Judge) -> None:
    answer = judge(f"{PROSE}{CLAIM}\n{PROSE}", "a.md")
    assert not answer.cut
    place = answer.findings[0].places[0]
    assert (place.line, place.column) == (PROSE.count("\n") + 1, 1)
    assert place.quote.startswith("TensorFlow 2.10")


def test_a_claim_in_a_large_text_in_chinese(judge: Judge) -> None:
    answer = judge("天地玄黄宇宙洪荒。" * (LARGE // 8) + f"\n{CLAIM}\n", "a.md")
    assert [finding.rule for finding in answer.findings] == ["cuda-other"]
    assert answer.findings[0].places[0].line == 2


@pytest.mark.parametrize("run_", ["QUJD" * 2_000, "\\x41" * 200_000, "x" * 3_000_000])
def test_runs_without_words_are_left_out(run_: str, judge: Judge) -> None:
    answer = judge(f"![](data:image/png;base64,{run_})\n{CLAIM}\n", "a.md")
    assert not answer.cut
    assert [finding.places[0].line for finding in answer.findings] == [2]


def test_what_names_too_much_is_cut_and_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.md"
    file.write_text("python and cuda " * (LARGE // 15), "utf-8")
    assert run(["--lang", "en", "audit", str(file)]) == 0
    assert "too large to be read whole" in capsys.readouterr().out
    assert run(["audit", "--json", str(file)]) == 0
    assert json.loads(capsys.readouterr().out)["files"][0]["cut"] is True


def test_stretches_keep_their_bounds() -> None:
    text = "a " * LARGE + "cuda" + " b" * LARGE + "pip" + " c" * LARGE
    spans, cut = stretches(text)
    assert not cut
    assert ["cuda" in text[start:end] for start, end in spans] == [True, False]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    spans, cut = stretches("cuda " * LARGE)
    assert cut
    assert sum(end - start for start, end in spans) == MOST


def test_a_letter_that_grows_in_lower_case_moves_nothing(judge: Judge) -> None:
    answer = judge("İ " * LARGE + f"\n{CLAIM}\n", "a.md")
    assert answer.findings[0].places[0].line == 2


def test_small_texts_are_read_whole() -> None:
    assert stretches("any text") == (((0, 8),), False)
    assert stretches("") == ((), False)


def test_a_large_file_with_a_form_of_its_own_is_read_whole(judge: Judge) -> None:
    comment = "# note\n" * (LARGE // 6)
    text = f'{comment}[project]\nname = "x"\ndependencies = ["tensorflow==2.10.0", "numpy==2.1.0"]\n'
    answer = judge(text, "pyproject.toml")
    assert not answer.cut
    assert answer.findings
