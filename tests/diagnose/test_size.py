"""Large and hostile logs."""

from __future__ import annotations

import random
import time

import pytest

from trueup.diagnose import diagnose, diagnose_stream
from trueup.diagnose.signals import MOST_SHAPES, Scan

FAULT = b"RuntimeError: CUDA error: invalid device ordinal\n"


def test_a_fault_far_down_in_a_long_log_is_found() -> None:
    lines = b"".join(b"step %d loss: 0.%06d\n" % (n, n * 7 % 10**6) for n in range(20_000))
    found = diagnose_stream([lines] * 20 + [FAULT] + [lines] * 2).causes
    assert found[0].cause == "device-index-out-of-range"
    assert found[0].evidence[0].line == 400_001


def test_memory_stays_flat() -> None:
    chance = random.Random(3)  # noqa: S311  # a log, not a secret
    scan = Scan()
    for _ in range(12):
        scan.block(
            [
                b"xy %s"
                % chance.randbytes(12)
                .hex()
                .translate(str.maketrans("0123456789abcdef", "ghijklmnopqrstuv"))
                .encode()
                for _ in range(40_000)
            ]
        )
    assert len(scan.seen) <= MOST_SHAPES + 40_000
    assert len(scan.start) <= 2000
    assert len(scan.found) < 500


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "\\",
        "could not load dynamic library '",
        "cuda ",
        "<",
        "\x1b[",
        "(from versions: 1.0, ",
        "9.",
        "页",
    ],
)
def test_repetition_changes_nothing(text: str) -> None:
    repeated = text * (1_000_000 // len(text))
    start = time.process_time()
    diagnose(repeated)
    diagnose("\n".join([repeated[:5000]] * 50))
    assert time.process_time() - start < 5


def test_fuzzed_text_never_fails() -> None:
    chance = random.Random(11)  # noqa: S311  # noise, not a secret
    pool = [
        *"abc<>&;%{}[]()\\/'\"|*^$.0123456789\x1b\r\t\u4e00\u0430\ufeff",
        "cuda",
        "dll",
        "torch",
        "== 2.1",
        "sm_120",
        "cudnn64_8.dll",
    ]
    for _ in range(300):
        text = "".join(chance.choices(pool, k=chance.randrange(1, 400)))
        answer = diagnose(text, {"gpu": text[:40], "cuda": text[40:60], "python": text[5:30]}, "linux")
        assert all(0 <= one.confidence <= 1 for one in answer.causes)


@pytest.mark.parametrize("filler", ["=", "progress 12% "])
@pytest.mark.parametrize("length", [3_990, 9_000, 60_000])
def test_an_error_at_the_end_of_a_long_line_is_seen(filler: str, length: int) -> None:
    line = (filler * length)[
        :length
    ] + " torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"
    assert diagnose(line, {"framework": "torch"}, "linux").causes[0].cause == "gpu-memory-exhausted"
