"""What trueup's care costs: its build against bare uv with the same lock, side by side on a warm cache.

    python bench/up.py [FRAMEWORK...] [--runs 5]

`bare` is `uv venv` and `uv pip sync`; `build` is trueup's from the same lock: venv, install, hook, record,
move, and the journal that `trueup undo` reads. Runs alternate, on the interpreter that trueup chose; the
median of the pairs' ratios is what counts: at most 1.10. A pair is two runs one after the other, so a machine
that is busy for a while weighs on both.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from trueup import setup
from trueup.facts import load
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.host import this_host
from trueup.machine.read import read_machine
from trueup.plan.request import request
from trueup.setup.changes import Store
from trueup.setup.events import Finished
from trueup.setup.uv import find

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.setup.events import Event

LIMIT = 1.10


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Return the wall time and the processor time, that of children too."""
    start, used = time.perf_counter(), sum(os.times()[:4])
    act()
    return time.perf_counter() - start, sum(os.times()[:4]) - used


def bare(python: Path, lock: Path, env_dir: Path) -> None:
    uv = find()
    for command in (
        ["venv", "--no-project", "--python", str(python), str(env_dir)],
        ["pip", "sync", "--python", str(env_dir / "bin" / "python"), "--only-binary", ":all:", str(lock)],
    ):
        subprocess.run([uv.exe, *command, "-q"], env=dict(uv.env), check=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("wish", nargs="*", default=["tensorflow"])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="trueup-bench-"))
    machine = read_machine(this_host(), env_dir=folder)
    best = solve(Wish(tuple(options.wish)), machine, load()).best
    python = setup.find_python(machine, best.python) if best else None
    if best is None or python is None:
        print("nothing to build here, or no Python for it on this machine")
        return 1
    question = request(best, machine)
    lock = setup.lock(question)
    (folder / "pylock.toml").write_text(lock.text, "utf-8")
    print(
        f"{best.packages}, Python {best.python}, {len(lock.packages)} packages; each once to warm the cache"
    )
    walls: dict[str, list[tuple[float, float]]] = {"bare": [], "build": []}
    steps: dict[str, list[float]] = {}

    def note(event: Event) -> None:
        if isinstance(event, Finished):
            steps.setdefault(event.step, []).append(event.seconds)

    for number in range(options.runs + 1):
        ways: dict[str, Callable[[], object]] = {
            "bare": lambda: bare(python, folder / "pylock.toml", folder / "bare"),
            "build": lambda: setup.build(
                best,
                question,
                folder / "build",
                machine=machine,
                lock=lock,
                on_event=note,
                changes=Store(folder / "changes"),
            ),
        }
        for name, act in sorted(ways.items(), reverse=bool(number % 2)):
            os.sync()  # what the run before left to be written, its removal above all, is not this one's
            took = timed(act)
            shutil.rmtree(folder / name)
            if number:
                walls[name].append(took)
    return report(walls, steps)


def report(walls: dict[str, list[tuple[float, float]]], steps: dict[str, list[float]]) -> int:
    middle = {
        name: [statistics.median(column) for column in zip(*rows, strict=False)]
        for name, rows in walls.items()
    }
    for name, rows in walls.items():
        wall, cpu = middle[name]
        print(
            f"{name:6} median {wall:6.2f} s, {cpu:5.2f} s of processor   {' '.join(f'{w:.2f}' for w, _ in rows)}"
        )
    for name, values in steps.items():
        print(f"       {name:8} {statistics.median(values[1:]):6.3f} s")
    pairs = zip(walls["build"], walls["bare"], strict=True)
    ratio, used = map(statistics.median, zip(*((w / b, c / d) for (w, c), (b, d) in pairs), strict=True))
    print(
        f"ratio {ratio:.2f} of wall, {used:.2f} of processor; to reach {LIMIT:.2f}: {'yes' if ratio <= LIMIT else 'no'}"
    )
    return 0 if ratio <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
