"""What the hook adds to each start of a Python that imports no framework.

    python bench/hook.py [PYTHON...] [--runs 40]

Starts of one environment alternate: with the hook, with the hook switched off by its variable, without it.
`-X importtime` tells the part that is the hook's own; at most 3 ms.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from trueup.setup import hook
from trueup.setup.record import site_packages

LIMIT_MS = 3.0
LINE = re.compile(r"import time:\s+\d+ \|\s+(\d+) \|\s+_trueup_hook$", re.MULTILINE)


def seconds(python: Path, env: dict[str, str]) -> float:
    began = time.perf_counter()
    subprocess.run([python, "-c", "pass"], env=env, check=True)
    return time.perf_counter() - began


def own(python: Path, env: dict[str, str]) -> float:
    """Return the milliseconds that importing the hook took, as the interpreter says."""
    command = [str(python), "-X", "importtime", "-c", "pass"]
    said = subprocess.run(command, env=env, check=True, capture_output=True, text=True).stderr
    found = LINE.search(said)
    return int(found[1]) / 1000 if found else 0.0


def measure(base: str, runs: int) -> bool:
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TRUEUP"))}
    with tempfile.TemporaryDirectory() as folder:
        env = Path(folder, "env")
        subprocess.run([base, "-m", "venv", "--without-pip", env], env=clean, check=True)
        python = env / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        site = site_packages(env)
        walls: dict[str, list[float]] = {"with": [], "off": [], "without": []}
        ways = {"with": clean, "off": clean | {"TRUEUP_HOOK": "0"}, "without": clean}
        for number in range(runs + 1):
            for name, variables in ways.items():
                if name == "without":
                    (site / hook.PTH).unlink(missing_ok=True)
                else:
                    hook.install(site)
                took = seconds(python, variables)
                walls[name] += [took] if number else []
        hook.install(site)
        cost = sorted(own(python, clean) for _ in range(runs))
    middle = {name: statistics.median(times) * 1000 for name, times in walls.items()}
    version = subprocess.run([base, "-V"], capture_output=True, text=True, check=True).stdout.strip()
    print(
        f"{version}: start {middle['without']:.1f} ms without, {middle['off']:.1f} ms switched off, "
        f"{middle['with']:.1f} ms with the hook (ratio {middle['with'] / middle['without']:.3f}); "
        f"the hook's own part {cost[0]:.2f} to {cost[-1]:.2f} ms, median {statistics.median(cost):.2f} ms"
    )
    return statistics.median(cost) <= LIMIT_MS


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("pythons", nargs="*", default=[sys.executable])
    parser.add_argument("--runs", type=int, default=40)
    options = parser.parse_args()
    good = [measure(python, options.runs) for python in options.pythons]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
