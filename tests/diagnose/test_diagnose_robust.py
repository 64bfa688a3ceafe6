"""The same fault in other clothes: figures for each kind of change, with the floor that they must keep."""

from __future__ import annotations

import importlib
import random
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from scoring import HARMLESS, Told, answer, own_cases, share, with_log

from trueup.diagnose import diagnose, diagnose_stream
from trueup.diagnose.catalog import by_name, causes

if TYPE_CHECKING:
    from collections.abc import Callable

CASES = own_cases()
NOISE = (
    "Loading pipeline components...",
    "2026-03-04 05:06:07,089 INFO root: starting",
    "  0%|          | 0/100 [00:00<?, ?it/s]",
    "Using seed 1234",
)


def stamped(case: Told) -> Told:
    return with_log(
        case, (f"2026-03-04 05:06:07.{n:06d} [thread-{n % 3}] {line}" for n, line in enumerate(case.log))
    )


def coloured(case: Told) -> Told:
    return with_log(case, (f"\x1b[31m\x1b[1m{line}\x1b[0m" for line in case.log))


def html(case: Told) -> Told:
    escape = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
    marked = ("".join(escape.get(c, c) for c in line) for line in case.log)
    return with_log(case, (f'<span class="ansi-red-fg">{line}</span><br>' for line in marked))


def noisy(case: Told) -> Told:
    return with_log(case, (one for line in (*case.log, "") for one in (NOISE[len(line) % 4], line)))


def upper(case: Told) -> Told:
    return with_log(case, (line.upper() for line in case.log))


def moved(case: Told) -> Told:
    """Put homes and drives elsewhere."""
    log = (
        line.replace("C:\\Users\\me", "E:\\Profile\\kim").replace("/home/me", "/data/kim")
        for line in case.log
    )
    return with_log(case, log)


def carriage(case: Told) -> Told:
    return with_log(case, (f"\r 50%|#####     | 1/2\r{line}\r" for line in case.log))


def cut(case: Told) -> Told:
    """Lose the ends of long lines, as a narrow window does."""
    return with_log(case, (line[:160] for line in case.log))


def shorter(case: Told) -> Told:
    """Lose a line where there are three and more."""
    chance = random.Random(case.id)  # noqa: S311  # which line is lost, not a secret
    keep = list(case.log)
    if len(keep) >= 3:
        keep.pop(chance.randrange(len(keep)))
    return with_log(case, keep)


def source_lines(case: Told) -> Told:
    """Change line numbers of source files, as another release has."""
    log = (
        re.sub(r"\.(cc|py|cpp):(\d+)", lambda hit: f".{hit[1]}:{int(hit[2]) + 137}", line)
        for line in case.log
    )
    return with_log(case, log)


PATCH = re.compile(r"(?<![\d.])(\d{1,2}\.\d{1,3})\.(\d{1,3})(?![\d.])")
DECISIVE = ("torch-2.9-dll-init-windows", "libomp140-missing", "cudnn-newer-than-build", "python-32bit")


def patched(case: Told) -> Told:
    """Change patch levels, the same way in the facts and in the log."""
    if case.cause in DECISIVE:
        return case

    def other(text: str) -> str:
        return PATCH.sub(lambda hit: f"{hit[1]}.{int(hit[2]) + 1}", text)

    given = {key: other(str(value)) for key, value in case.given.items()}
    return replace(case, given=given, log=tuple(map(other, case.log)))


def forgotten(case: Told) -> Told:
    """Lose one stated fact where there are three and more."""
    keys = list(case.given)
    if len(keys) < 3:
        return case
    lost = random.Random(case.id).choice(keys)  # noqa: S311  # which fact is lost, not a secret
    return replace(case, given={key: value for key, value in case.given.items() if key != lost})


CHANGES: tuple[tuple[Callable[[Told], Told], float], ...] = (
    (stamped, 0.98),
    (coloured, 0.99),
    (html, 0.98),
    (noisy, 0.97),
    (upper, 0.97),
    (moved, 0.99),
    (carriage, 0.98),
    (cut, 0.96),
    (shorter, 0.93),
    (source_lines, 0.99),
    (patched, 0.97),
    (forgotten, 0.88),
)


@pytest.mark.parametrize(("change", "floor"), CHANGES, ids=[change.__name__ for change, _ in CHANGES])
def test_told_right_after(
    change: Callable[[Told], Told], floor: float, record_property: Callable[[str, object], None]
) -> None:
    told = share(CASES, change)
    record_property("told right", round(told, 4))
    assert told >= floor


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "gb18030"])
def test_encodings(encoding: str) -> None:
    hits = 0
    for case in CASES:
        data = "\r\n".join(case.log).encode(encoding, "replace")
        causes_ = diagnose_stream([data[:37], data[37:]], case.given, case.os).causes
        hits += bool(causes_) and causes_[0].cause == case.cause
    assert hits / len(CASES) >= 0.97


def test_scanned_text() -> None:
    """A screenshot read by a machine: spaces lost, 0 for o, 1 for l."""
    lines = {
        "device-index-out-of-range": "RuntimeErr0r:CUDAerr0r:invaliddevice0rdina1",
        "no-kernel": "CUDAerror:n0kernelimageisavai1ableforexecution0nthedevice",
        "page-file-too-small": "The paging file is t00 smal1 for this 0peration to comp1ete",
    }
    seen = {
        name: diagnose_stream([text.encode()], {"gpu": "RTX 5090"}, "linux").causes
        for name, text in lines.items()
    }
    assert seen["device-index-out-of-range"][0].cause == "device-index-out-of-range"
    assert seen["no-kernel"][0].cause == "gpu-arch-newer-than-build"
    assert seen["page-file-too-small"][0].cause == "page-file-too-small"


def test_a_cause_taken_out_is_seldom_replaced_with_certainty(
    monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    """With a cause unknown, its cases must not be told with certainty as something unrelated."""
    judging = importlib.import_module("trueup.diagnose.judge")
    surely = 0
    keyed, free = by_name()
    for case in CASES:
        if case.cause == HARMLESS:
            continue
        without = {
            name: tuple(row for row in rows if row[0].id != case.cause) for name, rows in keyed.items()
        }
        rest = tuple(row for row in free if row[0].id != case.cause)
        monkeypatch.setattr(judging, "by_name", lambda without=without, rest=rest: (without, rest))
        best = answer(case).causes[:1]
        related = {case.cause} | set(causes()[case.cause].unlike)
        surely += bool(best) and best[0].confidence >= 0.9 and best[0].cause not in related
    record_property("replaced with certainty", round(surely / len(CASES), 4))
    assert surely / len(CASES) <= 0.15


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("CUDA out of memory: 8.00 GiB total capacity; 0 bytes free", "installer-download-broken"),
        ("Total file size: 1000 bytes", "installer-download-broken"),
        ("SyntaxError: unexpected EOF while parsing (train.py, line 3)", "installer-download-broken"),
        ("loading dataset tdr_v2", "tdr-timeout"),
    ],
)
def test_everyday_words_name_no_cause(line: str, cause: str) -> None:
    assert cause not in [found.cause for found in diagnose(line).causes]
