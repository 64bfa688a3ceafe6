"""What was typed wrong is named as it is typed, and only what is spelled nearly so is offered."""

from __future__ import annotations

import pytest

from trueup.cli.main import run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bundle", "tensorflow"], "error: `--output` is missing"),
        (["cuda", "add-cudnn", "a.zip"], "error: `--to` is missing"),
        (["bundle", "-o", "x"], "error: `FRAMEWORK...` is missing"),
        (["undo", "--id"], "error: `--id` needs a value after it"),
        (["--lang", "zh", "undo", "--id"], "错误：`--id` 后面需要一个值"),
    ],
)
def test_what_is_missing_is_named_as_it_is_typed(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["lock", "tensorflow", "--env", "x"], "hint: see `trueup lock --help`"),
        (["explain", "--json", "driver"], "hint: see `trueup explain --help`"),
        (["undo", "--yess"], "hint: did you mean: --yes"),
        (["undo", "--jso"], "hint: did you mean: --json"),
        (["up", "tensorflow", "--dryrun"], "hint: did you mean: --dry-run"),
    ],
)
def test_only_what_is_spelled_nearly_so_is_offered(
    words: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words) == 2
    assert hint in capsys.readouterr().err
