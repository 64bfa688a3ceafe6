"""Help pages fit the screen in both languages, and lose no word by it."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from trueup.cli.helping import Formatter, cells, wrap
from trueup.cli.main import COMMANDS, run

TEXTS = (
    "读取这台电脑，搭建与其 GPU 匹配的深度学习环境，用真实训练加以验证，并说明出错的原因。",
    "把 trueup 加入您的 PATH；可用 `trueup undo` 撤回（“显示”一次）",
    "Read every layer of this machine (card, driver, system) and name the one root cause: `trueup check --save FILE`",
    "一`x`二`y`，三",
    "`an unfinished quotation 到这里",
    "",
)


@pytest.mark.parametrize("width", [8, 20, 50, 78])
@pytest.mark.parametrize("text", TEXTS)
def test_lines_fit_and_hold_every_letter(text: str, width: int) -> None:
    lines = list(wrap(text, width))
    assert all(cell_len(line) <= width for line in lines)
    assert re.sub(r"\s", "", "".join(lines)) == re.sub(r"\s", "", text)
    assert all(line == line.strip() and line for line in lines)


@pytest.mark.parametrize("width", [20, 50])
def test_no_line_begins_with_a_mark_or_ends_with_a_bracket(width: int) -> None:
    for text in TEXTS:
        for line in wrap(text, width):
            assert line[0] not in "，。；：、！？）”"
            assert line[-1] not in "（“"


def test_code_stays_in_one_line_where_it_can() -> None:
    assert list(wrap("然后运行 `trueup undo --list` 查看", 24)) == [
        "然后运行",
        "`trueup undo --list` 查",
        "看",
    ]


@pytest.mark.parametrize("columns", ["80", "50"])
@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_page_fits_the_terminal(
    name: str, lang: str, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert run([*([name] if name else []), "--help", "--lang", lang]) == 0
    page = capsys.readouterr().out
    assert [line for line in page.splitlines() if cell_len(line) > int(columns)] == []
    assert page.startswith({"en": "Usage: trueup", "zh": "用法：trueup"}[lang])
    assert ("[required]" in page, "Options:" in page) == (name == "bundle" and lang == "en", lang == "en")


def test_a_long_list_of_values_is_parted_at_its_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    formatter = Formatter()
    with formatter.section("选项"):
        formatter.write_dl([("--format [pylock|requirements|conda|pixi|docker]", "写什么")])
    lines = formatter.getvalue().splitlines()
    assert lines[0] == "选项："
    assert all(cells(line) <= 38 for line in lines)
    assert "".join(lines[1:-1]).replace(" ", "") == "--format[pylock|requirements|conda|pixi|docker]"
    assert lines[-1].strip() == "写什么"
