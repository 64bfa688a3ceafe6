"""The same case, told in another way: by a form's lines, by a translated Windows, by a bad scan."""

from __future__ import annotations

import json
import random
import re
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from scoring import Told, own_cases, share, with_log

from trueup.diagnose import noise
from trueup.diagnose.signals import words

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = own_cases()
FORM = {
    "tensorflow": "TensorFlow version (use command below)",
    "cuda": "CUDA version",
    "cudnn": "cuDNN version",
    "gpu": "GPU model and memory",
    "os_version": "OS Platform and Distribution",
    "python": "Python version",
}
TRANSLATED = (
    ("The specified module could not be found", "Не найден указанный модуль"),
    ("The specified module could not be found", "Das angegebene Modul wurde nicht gefunden"),
    ("A dynamic link library (DLL) initialization routine failed", "动态链接库(DLL)初始化例程失败"),
    ("The paging file is too small for this operation to complete", "页面文件太小，无法完成操作"),
    ("The specified procedure could not be found", "Die angegebene Prozedur wurde nicht gefunden"),
    ("Access is denied", "Отказано в доступе"),
)


def by_form(case: Told) -> Told:
    """State the facts in the text, as the forms of issue trackers do, and nothing beside it."""
    lines = (f"- {FORM.get(key, key)}: {value}" for key, value in case.given.items())
    return replace(case, given={}, log=(*lines, *case.log))


def by_form_keys(case: Told) -> Told:
    return replace(case, given={FORM.get(key, key): value for key, value in case.given.items()})


def translated(case: Told) -> Told:
    log = list(case.log)
    for english, other in random.Random(case.id).sample(TRANSLATED, len(TRANSLATED)):  # noqa: S311
        log = [line.replace(english, other) for line in log]
    return with_log(case, log)


def scanned(case: Told) -> Told:
    """Read the text off a picture: some o are 0, some l are 1, some spaces are lost."""
    chance = random.Random(case.id)  # noqa: S311  # noise, not a secret

    def read(line: str) -> str:
        line = re.sub(r"(?<=[a-z])o(?=[a-z])", lambda _: "0" if chance.random() < 0.3 else "o", line)
        line = re.sub(r"(?<=[a-z])l(?=[a-z])", lambda _: "1" if chance.random() < 0.3 else "l", line)
        return re.sub(r" ", lambda _: "" if chance.random() < 0.2 else " ", line)

    return with_log(case, map(read, case.log))


def system_unsaid(case: Told) -> Told:
    return replace(case, os="unknown")


def one_line(case: Told) -> Told:
    return with_log(case, (" ".join(case.log),) if case.log else ())


def thrice(case: Told) -> Told:
    return with_log(case, case.log * 3)


def wrapped(case: Told) -> Told:
    """Break each line at a terminal's width, within words too."""
    return with_log(case, (line[at : at + 80] for line in case.log for at in range(0, len(line) or 1, 80)))


def cited(case: Told) -> Told:
    """Cite as mail does: broken between words, two marks before each line."""
    lines = (part for line in case.log for part in textwrap.wrap(line, 68, break_long_words=False) or [""])
    return with_log(case, (f"> > {line}" for line in lines))


def by_compose(case: Told) -> Told:
    return with_log(case, (f"trainer-gpu-1  | {line}" for line in case.log))


def by_runtime(case: Told) -> Told:
    return with_log(case, (f"2024-05-01T10:00:00.123456Z stderr F {line}" for line in case.log))


def in_json(case: Told) -> Told:
    return with_log(case, (json.dumps({"log": f"{line}\n", "stream": "stderr"}) for line in case.log))


def in_python(case: Told) -> Told:
    return with_log(case, (repr("\n".join((*case.log, ""))),))


CHANGES: tuple[tuple[Callable[[Told], Told], float], ...] = (
    (by_form, 0.93),
    (by_form_keys, 0.98),
    (translated, 0.99),
    (scanned, 0.92),
    (system_unsaid, 0.92),
    (one_line, 0.95),
    (thrice, 0.99),
    (wrapped, 0.99),
    (cited, 0.98),
    (by_compose, 0.99),
    (by_runtime, 0.99),
    (in_json, 0.99),
    (in_python, 0.99),
)


@pytest.mark.parametrize(("change", "floor"), CHANGES, ids=[change.__name__ for change, _ in CHANGES])
def test_told_right_when_rewritten(
    change: Callable[[Told], Told], floor: float, record_property: Callable[[str, object], None]
) -> None:
    told = share(CASES, change)
    record_property("told right", round(told, 4))
    assert told >= floor


@pytest.mark.parametrize(
    ("run", "want"),
    [
        ("openshared objectfile", "open shared object file"),
        ("the kernel imageis available", "the kernel image is available"),
        ("cusolver64_10.dllnot found", "cusolver64_10.dll not found"),
        ("xqzzvw plain words", "xqzzvw plain words"),
    ],
)
def test_words_that_ran_together_are_parted(run: str, want: str) -> None:
    assert noise.parted(run, words()) == want


@pytest.mark.parametrize(
    ("read", "want"),
    [
        ("cudart64_110.d11", "cudart64_110.dll"),
        ("t0rch err0r", "torch error"),
        ("cuDNN 8.O.5", "cuDNN 8.0.5"),
    ],
)
def test_look_alike_characters_are_set_right(read: str, want: str) -> None:
    assert noise.repaired(read) == want


def test_a_run_of_letters_costs_little() -> None:
    assert noise.parted("is" * 500_000, words())
