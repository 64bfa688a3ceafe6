"""What a history of a million rows costs to ask: `trueup history`, `trueup diff` and the look of `check`.

    python bench/history.py [--rows 1000000] [--folder FOLDER]

The bound of a real history is far below (20 000 rows); it is lifted here. Each question is asked by a process of
its own file handle: the file is opened again every time, as each command does. The limit: 100 ms.
"""

from __future__ import annotations

import argparse
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.history import Entry, Limits, Reach, Store
from trueup.history.store import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

LIMIT = 0.1
ENVIRONMENTS = 40
ROUNDS = 15


def entry(number: int, *, good: bool) -> Entry:
    return Entry(
        kind="check",
        verdict="aligned" if good else "not-aligned",
        reach=Reach.CARD if good else Reach.NO,
        framework="tensorflow",
        machine="m",
        env=f"e{number}",
        place=f"/home/user/e{number}",
        facts={f"packages/p{n}": f"1.{n}" for n in range(150)},
    )


def filled(folder: Path, rows: int) -> Store:
    """Return a store with the rows; the last time it worked is the very first row of each environment."""
    store = Store(folder, Limits(rows=10**9, size=10**12))
    for number in range(ENVIRONMENTS):
        store.add(entry(number, good=True), number)
    store.add(entry(0, good=False), ENVIRONMENTS)
    with sqlite3.connect(folder / NAME) as db:
        digest = db.execute("SELECT digest FROM facts").fetchone()[0]
        asked = """INSERT INTO entries
            (first, last, times, kind, verdict, reach, cause, framework, machine, env, place, facts)
            VALUES (?, ?, 1, 'check', 'not-aligned', 0, ?, 'tensorflow', 'm', ?, '/e', ?)"""
        made = ((n, n, f"cause-{n % 90}", f"e{n % ENVIRONMENTS}", digest) for n in range(100, 100 + rows))
        db.executemany(asked, made)
    return store


def milliseconds(ask: Callable[[], object]) -> tuple[float, float]:
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        ask()
        times.append((time.perf_counter() - begin) * 1000)
    return statistics.median(times), max(times)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        folder = asked.folder or Path(own)
        store = filled(folder, asked.rows)
        where = ("m", "e7", "tensorflow")
        moment = 100 + asked.rows // 2
        questions: dict[str, Callable[[], object]] = {
            "newest 30": lambda: store.newest(30),
            "newest 30 of an environment": lambda: store.newest(30, machine="m", env="e7"),
            "newest of the machine": lambda: store.newest(1, machine="m"),
            "one of an environment alone": lambda: store.newest(30, env="e7"),
            "by number": lambda: store.get(moment),
            "at a moment": lambda: store.at(moment, where),
            "oldest": lambda: store.oldest(where),
            "last good (the first row)": lambda: store.last_good(where),
            "no good at all": lambda: store.last_good(where, Reach.CPU),
            "keep an equal check": lambda: store.add(entry(0, good=False), moment),
        }
        print(f"{asked.rows} rows, {(folder / NAME).stat().st_size / 1e6:.0f} MB")
        worst = 0.0
        for name, ask in questions.items():
            median, most = milliseconds(ask)
            worst = max(worst, median)
            print(f"{name:32} median {median:8.2f} ms, most {most:8.2f} ms")
    print(f"limit {LIMIT * 1000:.0f} ms: {'kept' if worst < LIMIT * 1000 else 'BROKEN'}")
    return 0 if worst < LIMIT * 1000 else 1


if __name__ == "__main__":
    sys.exit(main())
