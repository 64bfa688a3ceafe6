"""Loading the facts, and a look-up as a command, side by side with what cannot be undercut.

    python bench/facts.py [--runs 15]

In process: all builds of all frameworks and each table that an answer can need, against `json.loads` of the same
files with nothing made of them. As a command: `trueup facts gpu NAME`, against an empty start of the same Python.
Runs alternate, each in a process of its own; processor time, medians.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

TABLES = (
    "frameworks stacks caps_by_release capabilities drivers cards cudnn requirements metadata nvidia pci "
    "builds/tensorflow builds/torch builds/jax builds/paddlepaddle builds/onnxruntime builds/cupy"
)
LOAD = """
import gc, json, time
from trueup.cli.main import SELDOM
from trueup.facts import load, store
gc.set_threshold(*SELDOM)  # as every command does
import trueup.facts.catalog, packaging.version, packaging.specifiers
start = time.process_time()
facts = load()
count = sum(len(facts.builds(name)) for name in facts.frameworks())
facts.capabilities(), facts.driver_floors(), facts.cudnn("8.9", "11.8"), facts.card("RTX 4060 Laptop")
facts.card_of_pci(0x10DE, 0x1287), facts.requirement("wsl2.windows-build"), facts.library_wheels("msvc-runtime")
facts.metadata("tensorflow", "2.10.1", "windows")
print(json.dumps([time.process_time() - start, count]))
"""
PARSE = f"""
import json, time
from trueup.facts.store import DATA
start = time.process_time()
for name in {TABLES!r}.split():
    json.loads((DATA / (name + ".json")).read_bytes())
print(json.dumps([time.process_time() - start, 0]))
"""
COMMANDS = {
    "an empty start of Python": ["-c", ""],
    "`trueup facts gpu`": ["-m", "trueup", "facts", "gpu", "RTX 4060 Laptop"],
    "`trueup facts driver`": ["-m", "trueup", "facts", "driver", "536.67"],
    "`trueup facts tensorflow 2.10`": ["-m", "trueup", "facts", "tensorflow", "2.10"],
    "`trueup facts cuda 11.2`": ["-m", "trueup", "facts", "cuda", "11.2"],
}


def measured(code: str) -> tuple[float, int]:
    """Return milliseconds of processor time, and what was counted."""
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    seconds, count = json.loads(out)
    return seconds * 1000, count


def wall(arguments: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    pairs = [(measured(LOAD), measured(PARSE)[0]) for _ in range(runs)]
    load = statistics.median(made for (made, _), _ in pairs)
    least = min(made for (made, _), _ in pairs)
    parse = statistics.median(raw for _, raw in pairs)
    builds = pairs[0][0][1]
    print("| in process | ms (median) | least | ratio |\n| --- | --: | --: | --: |")
    print(f"| the files, only parsed | {parse:.1f} | {min(raw for _, raw in pairs):.1f} | 1 |")
    print(f"| loaded: {builds} builds and all tables | {load:.1f} | {least:.1f} | {load / parse:.2f} |\n")
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(runs):
        for name, command in COMMANDS.items():
            times[name].append(wall(command))
    empty = statistics.median(next(iter(times.values())))
    print("| command | s (median) | least | times an empty start |\n| --- | --: | --: | --: |")
    for name, found in times.items():
        middle = statistics.median(found)
        print(f"| {name} | {middle:.3f} | {min(found):.3f} | {middle / empty:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
