"""Measure the diagnosis: a log of 200 MB, a thousand cases, lines made to hurt.

usage: python bench/diagnose.py [--megabytes 200] [--cases CASES.jsonl]
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.diagnose import diagnose, diagnose_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

FAULT = b"RuntimeError: CUDA error: no kernel image is available for execution on the device\n"
CASES = Path(__file__).parents[1] / "tests" / "diagnose" / "cases.jsonl"


def training(megabytes: int) -> Iterator[bytes]:
    """Yield a training log: progress bars, metrics, warnings now and then, and one fault near the end."""
    chance = random.Random(7)  # noqa: S311  # a log, not a secret
    for number in range(megabytes):
        lines = []
        size = 0
        while size < 1_000_000:
            step = chance.randrange(10**6)
            line = (
                f"2026-01-02 03:04:{step % 60:02d}.{step:06d}: I step {step} loss: {chance.random():.6f} "
                f"accuracy: {chance.random():.4f} id={chance.getrandbits(64):016x}\n"
                if step % 3
                else f"\r{step % 100}%|{'█' * (step % 40)}{' ' * (40 - step % 40)}| {step}/1000000 [00:12<01:03, 9.87it/s]\n"
            ).encode()
            lines.append(line)
            size += len(line)
        if number == megabytes - 1:
            lines.append(FAULT)
        yield b"".join(lines)


def measure_log(megabytes: int) -> None:
    seconds, seen = 0.0, 0
    chunks = list(training(min(megabytes, 20)))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    answer = diagnose_stream(chunks[i % len(chunks)] for i in range(megabytes))
    seconds = time.process_time() - start
    seen = sum(len(chunks[i % len(chunks)]) for i in range(megabytes))
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(f"log: {seen / 1e6:.0f} MB in {seconds:.2f} s of processor time, {seen / 1e6 / seconds:.0f} MB/s, "
          f"memory grew by {grown:.0f} MB, found {[one.cause for one in answer.causes][:1]}")  # fmt: skip


def measure_cases(path: Path) -> None:
    cases = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    start = time.process_time()
    for number in range(1000):
        case = cases[number % len(cases)]
        diagnose("\n".join(case["log"]), case["given"], case["os"])
    print(f"cases: 1000 in {time.process_time() - start:.2f} s of processor time")


def measure_hurt() -> None:
    for text in (
        "a" * 1_000_000,
        "could not load dynamic library '" * 30_000,
        "\\" * 1_000_000,
        "cuda " * 200_000,
    ):
        start = time.process_time()
        diagnose(text)
        print(f"{text[:12]!r} repeated to {len(text)}: {time.process_time() - start:.3f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--cases", type=Path, default=CASES)
    args = parser.parse_args()
    measure_log(args.megabytes)
    measure_cases(args.cases)
    measure_hurt()


if __name__ == "__main__":
    main()
