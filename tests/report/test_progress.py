"""Progress: bars on a terminal, lines in a log, nothing where data is asked."""

from __future__ import annotations

import io
import sys

import pytest

from trueup.report.progress import Bars, Lines, megabytes, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_lines_tell_each_tenth_once() -> None:
    told: list[str] = []
    view = Lines(told.append)
    view.start("download")
    for done in range(101):
        view.advance(done, 100, f"{done} of 100")
    view.end("done in 2 s")
    assert told[0] == "  download ..."
    assert told[1:-1] == [f"    {tenth}0 of 100" for tenth in range(1, 10)]
    assert told[-1] == "    done in 2 s"


def test_bars_keep_what_is_done_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "80")
    view = progress(lambda _: None)
    assert isinstance(view, Bars)
    view.start("下载")
    view.advance(5, 10, "5 MB / 10 MB")
    view.end("用时 2 秒")
    view.close()
    assert "[ok] 下载 · 用时 2 秒" in terminal.getvalue()


def test_quiet_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    view = progress(print, quiet=True)
    view.start("download")
    view.line("a line")
    view.close()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("size", "text"), [(999, "1 kB"), (430_000_000, "430 MB"), (2_262_000_000, "2.3 GB"), (0, "0 kB")]
)
def test_sizes(size: int, text: str) -> None:
    assert megabytes(size) == text
