"""The house's rules for Chinese text, those that a machine can see: punctuation, spacing, one term for one thing."""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import TYPE_CHECKING, Any

import pytest

from trueup.report.say import MESSAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOMS = sorted(path.stem for path in (MESSAGES / "zh_CN").glob("*.json"))
CAUSES = "causes"  # what the diagnosis says of causes, and its steps
CJK = r"[\u3400-\u4dbf\u4e00-\u9fff]"
WIDE = r"[，。；：、！？（）“”]"
QUOTED = re.compile(r"`[^`]*`|https?://\S+|\[y/N\]")
PLACE = re.compile(r"\{\{.*?\}\}|\{\w+\}")
# Written so -> what this house writes. "您们" does not exist; "你" is for friends.
TERMS = {
    r"你": "您",
    r"撤销": "撤回",
    r"软件源": "索引",
    r"途径": "路线",
    r"时钟": "频率",
    r"批大小": "批量",
    r"驱动程序": "驱动",
    r"录制": "记录",
    r"显示卡|图形卡": "显卡",
    r"轮子": "wheel",
    r"算力": "计算能力",
    r"CUDA Toolkit": "CUDA 工具包",
    r"(?<!主)目录": "文件夹",
    r"回滚": "撤回",
    r"没有改动任何|未作任何改动|什么都没有改动": "没有做任何改动",
}


def texts(room: str) -> Iterator[tuple[str, str]]:
    """Yield code and text."""
    if room == CAUSES:
        for file in (resources.files("trueup.diagnose") / "data").iterdir():
            if file.name.startswith(("causes-", "steps")):
                yield from chinese(json.loads(file.read_text("utf-8")), file.name)
        return
    for name, text in json.loads((MESSAGES / "zh_CN" / f"{room}.json").read_text("utf-8")).items():
        if re.search(CJK, text):
            yield f"{room}.{name}", text


def chinese(value: Any, name: str) -> Iterator[tuple[str, str]]:
    """Yield what stands under `zh_CN`, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "zh_CN":
                yield from ((name, text) for text in ([inner] if isinstance(inner, str) else inner))
            else:
                yield from chinese(inner, f"{name}.{key}")


def plain(text: str) -> str:
    """Leave out what is quoted from programs, and values."""
    return PLACE.sub("{}", QUOTED.sub("`x`", text))


def faults(room: str, pattern: str) -> list[str]:
    return [
        f"{code}: {found[0]}" for code, text in texts(room) for found in re.finditer(pattern, plain(text))
    ]


@pytest.mark.parametrize("room", [*ROOMS, CAUSES])
def test_punctuation_of_a_chinese_sentence_is_full_width(room: str) -> None:
    after = rf"{CJK}[,;:!?(][^\n]?"
    before = rf"[^\n]?[,;:!?)]{CJK}"
    between = r"\w[:;](?=[A-Za-z{`])|\d,(?=[A-Za-z])"
    assert faults(room, f"{after}|{before}|{between}|{CJK}\\.(?=\\s|$)|[`}}],(?={CJK})") == []


@pytest.mark.parametrize("room", [*ROOMS, CAUSES])
def test_full_width_marks_stand_without_spaces(room: str) -> None:
    assert faults(room, rf"{WIDE} +(?=\S)(?!{{}})| +(?<!^){WIDE}") == []


@pytest.mark.parametrize("room", [*ROOMS, CAUSES])
def test_latin_letters_and_digits_stand_apart_from_chinese(room: str) -> None:
    assert faults(room, rf"{CJK}[A-Za-z0-9`]+|[A-Za-z0-9`]+{CJK}") == []


@pytest.mark.parametrize("room", [*ROOMS, CAUSES])
def test_a_percent_sign_stands_at_its_number(room: str) -> None:
    assert faults(room, r"[\d}] %(?!\w)") == []


@pytest.mark.parametrize("room", [*ROOMS, CAUSES])
def test_one_term_for_one_thing(room: str) -> None:
    wrong = [
        f"{code}: {found[0]} -> {right}"
        for code, text in texts(room)
        for pattern, right in TERMS.items()
        for found in re.finditer(pattern, plain(text))
    ]
    assert wrong == []


@pytest.mark.parametrize("room", ROOMS)
def test_both_languages_end_alike(room: str) -> None:
    """No full stop after one sentence, in either language; a list's colon in both."""
    english = json.loads((MESSAGES / "en" / f"{room}.json").read_text("utf-8"))
    for code, text in texts(room):
        if "\n" not in text and not re.search(r"[。]\S", text):
            assert not text.endswith("。") or english[code.partition(".")[2]].endswith("."), code
        assert text.rstrip().endswith(("：", ":")) == english[code.partition(".")[2]].rstrip().endswith(
            ":"
        ), code


def test_the_rules_see_what_they_are_for() -> None:
    for text, pattern in (
        ("没有找到 uv:旁边也没有", rf"[^\n]?[,;:!?)]{CJK}"),
        ("共 3 个(大)", rf"{CJK}[,;:!?(][^\n]?"),
        ("使用CUDA", rf"{CJK}[A-Za-z0-9`]+"),
        ("运行`trueup`", rf"{CJK}[A-Za-z0-9`]+"),
    ):
        assert re.search(pattern, plain(text)), text
