"""What is put together outside the catalogs reads alike in both languages: brackets, commas, words in lists."""

from __future__ import annotations

import re

import pytest

from trueup.cli.main import run
from trueup.diagnose.catalog import causes
from trueup.report import history, marks, mirrors
from trueup.report.check import width
from trueup.setup.mirrors import Mirror
from trueup.setup.mirrors import mirrors as known

HALF = re.compile(r"[\u4e00-\u9fff] ?[(,;:]|[),;:] ?[\u4e00-\u9fff]")


def test_every_mirror_has_a_chinese_name_in_chinese_punctuation() -> None:
    for mirror in known():
        name = mirrors.title(mirror, "zh_CN")
        assert name
        assert "(" not in name
        assert mirrors.title(mirror, "en") == mirror.title
    own = Mirror("own", "https://host/simple", "https://host/simple")
    assert mirrors.title(own, "zh_CN") == "https://host/simple"


@pytest.mark.parametrize(
    "words", [["mirrors"], ["facts", "tensorflow", "2.10"], ["facts", "gpu", "RTX 3060"]]
)
def test_chinese_answers_have_chinese_marks(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*words, "--lang", "zh"]) == 0
    for line in capsys.readouterr().out.splitlines():
        assert not HALF.search(re.sub(r"`[^`]*`", "`x`", line)), line


@pytest.mark.parametrize("lang", ["en", "zh_CN"])
def test_a_cause_in_the_history_is_told_and_named(lang: str) -> None:
    for ident, cause in causes().items():
        told = history.cause(ident, lang)
        assert told.endswith(f" [{ident}]")
        assert told.startswith(cause.words[lang][0][:8])
        assert width(told.removesuffix(f" [{ident}]")) <= history.TITLE_WIDTH + 1
    assert history.cause("no-card", lang) != "no-card"
    assert history.cause("nobody-knows-this", lang) == "nobody-knows-this"


def test_marks_of_short_statements() -> None:
    assert marks.clauses(("a", "b"), "en") == "a, b"
    assert marks.clauses(("甲", "乙"), "zh_CN") == "甲，乙"
