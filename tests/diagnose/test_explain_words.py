"""Plain words find the pages that speak of them."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING

import pytest

from trueup.cli.main import run
from trueup.diagnose.catalog import causes
from trueup.diagnose.findings.order import ORDER
from trueup.diagnose.lookup import PAGE, Entry, nearest, terms
from trueup.report import explaining

if TYPE_CHECKING:
    from collections.abc import Iterable

ENTRIES = (
    Entry("driver-missing", "driver-missing driver No display driver 没有显示驱动", "nvcuda.dll absent"),
    Entry(
        "driver-bug", "driver-bug driver This driver release misbehaves 该驱动版本有问题", "another cures it"
    ),
    Entry(
        "long-path", "long-path os A path over 260 characters 路径超过 260 个字符", "Windows long paths off"
    ),
    Entry("cuda-toolkit-missing", "cuda-toolkit-missing cuda No CUDA runtime 没有 CUDA 运行库", "CUDA 12"),
)


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("driver", ("driver-missing", "driver-bug")),
        ("驱动", ("driver-missing", "driver-bug")),
        ("drivr", ("driver-missing", "driver-bug")),
        ("why is my path too long", ("long-path",)),
        ("CUDA 12", ("cuda-toolkit-missing",)),
        ("qqqq zzzz", ()),
        ("", ()),
        ("12", ("cuda-toolkit-missing",)),
        ("火星", ()),
        ("a 26", ()),
        ("log", ()),
    ],
)
def test_words_find_pages(text: str, want: tuple[str, ...]) -> None:
    assert set(nearest(text, ENTRIES)) == set(want)


def test_a_page_that_a_word_means_for_certain_comes_first() -> None:
    assert nearest("cuda driver", ENTRIES)[0] == "cuda-toolkit-missing"
    assert nearest("长路径", ENTRIES)[0] == "long-path"


def test_chinese_is_taken_in_pairs() -> None:
    assert terms("显卡驱动 CUDA 12.4.") == ["cuda", "12.4", "显卡", "卡驱", "驱动"]
    assert terms("卡") == ["卡"]


def test_pages_named_by_words_exist() -> None:
    text = resources.files("trueup.diagnose").joinpath("data", "words.json").read_text("utf-8")
    rows: dict[str, Iterable[str]] = json.loads(text)["words"]
    named = {one[1:] for row in rows.values() for one in row if one.startswith(PAGE)}
    assert named
    assert all(name in causes() or explaining.is_finding(name) for name in named)


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("no card", "no-card"),
        ("cuda 12", "cuda-toolkit-missing"),
        ("cudnn", "cudnn-built-for-other-cuda"),
        ("显卡", "no-card"),
        ("驱动", "driver-bug"),
        ("amd", "gpu-not-nvidia"),
        ("rtx 5090", "gpu-arch-newer-than-build"),
        ("虚拟内存", "page-file-too-small"),
        ("vc++", "vc-runtime-missing"),
        ("jupyter", "jupyter-kernel-other-env"),
        ("DLL load failed", "vc-runtime-missing"),
    ],
)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_explain_lists_pages_for_words(
    words: str, first: str, lang: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--lang", lang, "explain", words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert words in lines[0]
    assert lines[2].split()[0] == first
    assert "trueup explain" in lines[-1]


def test_explain_knows_what_a_checkup_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--lang", "en", "explain", "gpu-lost"]) == 0
    out = capsys.readouterr().out
    assert "[gpu-lost]" in out
    assert "trueup doctor --fix" in out


def test_a_page_of_a_checkup_leaves_no_place_open() -> None:
    for name in filter(explaining.is_finding, ORDER):
        for lang in ("en", "zh_CN"):
            assert "{" not in "\n".join(explaining.finding(name, lang))


def test_what_nothing_is_known_of_is_refused_with_the_layers(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--lang", "en", "explain", "zzzzqq"]) == 2
    said = capsys.readouterr().err
    assert "zzzzqq" in said
    assert "vcruntime" in said
