"""The frame of the command line: help, language, refusals, our own faults."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from trueup.cli import main
from trueup.cli.session import write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def answer(capsys: pytest.CaptureFixture[str], args: Sequence[str]) -> tuple[int, str, str]:
    status = main.run(args)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = answer(capsys, ["--help"])
    assert status == 0
    assert all(f"  {name} " in out for name in main.COMMANDS)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["solve", "torch", "--route", "mars"], "`--route` 只能是以下之一：windows-native, "),
        (["bench", "--seconds", "5"], "`--seconds` 应为 10 到 600 之间的数"),
        (["fit-batch", "--cap", "x"], "`--cap` 应为不小于 100 的数"),
    ],
)
def test_a_wrong_value_is_told_in_the_user_s_language(
    args: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = answer(capsys, ["--lang", "zh", *args])
    assert status == 2
    assert said in err


def test_a_language_that_is_not_spoken_is_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = answer(capsys, ["--lang", "xx", "facts", "gpu", "RTX 3060"])
    assert (status, out) == (2, "")
    assert "`xx`" in err


@pytest.mark.parametrize("args", [["--lang", "zh", "--help"], ["--help", "--lang=zh_CN"]])
def test_help_in_chinese_wherever_the_language_stands(
    capsys: pytest.CaptureFixture[str], args: list[str]
) -> None:
    status, out, _ = answer(capsys, args)
    assert status == 0
    assert "用法" in out
    assert "Usage" not in out


@pytest.mark.parametrize("name", main.COMMANDS)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_each_command_has_a_help_page(capsys: pytest.CaptureFixture[str], name: str, lang: str) -> None:
    status, out, err = answer(capsys, [name, "--help", "--lang", lang])
    assert status == 0, err
    assert ("选项" if lang == "zh" else "Options") in out
    assert "--help" in out


def test_unknown_command_offers_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = answer(capsys, ["chekc"])
    assert (status, out) == (2, "")
    assert "`chekc`" in err
    assert "check" in err.splitlines()[-1]


def test_unknown_option_names_it_and_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = answer(capsys, ["check", "--jsno"])
    assert status == 2
    assert "`--jsno`" in err
    assert "--json" in err


def test_language_after_double_dash_belongs_to_the_program() -> None:
    assert main.split_language(["run", "--", "python", "--lang", "zh"]) == (
        None,
        ["run", "--", "python", "--lang", "zh"],
    )


def test_our_fault_leaves_a_report(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")

    def broken(*_: object) -> None:
        raise RuntimeError("inside out")

    monkeypatch.setattr(main, "_invoke", broken)
    status, _, err = answer(capsys, ["check"])
    assert status == 3
    assert "inside out" in err
    [report] = tmp_path.rglob("trueup-bug-*.txt")
    assert "RuntimeError: inside out" in report.read_text("utf-8")
    assert str(report) in err


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp936", "utf-8"])
def test_a_legacy_code_page_never_crashes(encoding: str) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    write(stream, "显卡 RTX · ✓ é")
    assert "RTX" in raw.getvalue().decode(encoding)


def test_a_closed_stream_is_no_crash() -> None:
    write(None, "nobody listens")


@pytest.mark.parametrize("command", [["solve", "tensorflow", "--machine"], ["check", "--machine"]])
def test_a_machine_file_without_a_bottom_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str]
) -> None:
    deep = tmp_path / "deep.json"
    deep.write_text("[" * 100_000)
    status, _, err = answer(capsys, [*command, str(deep)])
    assert status == 2
    assert "deep.json" in err


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_machine_file_may_have_a_byte_order_mark(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, encoding: str
) -> None:
    saved = tmp_path / "pc.json"
    main.run(["check", "--save", str(saved)])
    saved.write_text(saved.read_text("utf-8"), encoding)
    capsys.readouterr()
    status, out, err = answer(capsys, ["check", "--machine", str(saved), "--json"])
    assert status in (0, 1), err
    assert '"trueup.check/1"' in out
