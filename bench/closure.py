"""What a closure proof costs: time, bytes read and memory, against reading the same files whole.

    python bench/closure.py SITE_PACKAGES [--framework tensorflow --version 2.10.1 --os windows] [--runs 5]

Each run is a process of its own. Cold: the pages of the set are dropped from the cache before. What counts:
the proof within 1 s of processor time, and at most a tenth of the wall time of reading all bytes from a cold disk.
Wall time is shown, too; on a busy machine it tells of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

LIMIT_S, LIMIT_SHARE = 1.0, 0.1
CHILD = """
import json, resource, sys, time
from pathlib import Path
from trueup.proof import closure
site, framework, version, system = Path(sys.argv[1]), *sys.argv[2:]
cards = ("5.2", "6.1", "7.5", "8.6", "8.9")
began, used = time.perf_counter(), time.process_time()
files = closure.environment(site)
report = closure.prove(files, closure.Target(system, framework, version, python="3.10", capabilities=cards))
wall, cpu = time.perf_counter() - began, time.process_time() - used
io = dict(line.split(": ") for line in open("/proc/self/io").read().splitlines())
print(json.dumps({"wall": wall, "cpu": cpu, "complete": report.complete, "files": report.files,
 "size": report.size, "symbols": report.symbols, "disk": int(io["read_bytes"]),
 "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
"""


def binaries(site: Path) -> list[Path]:
    names = (".dll", ".pyd", ".exe", ".so")
    return [p for p in site.rglob("*") if p.is_file() and any(s in names for s in p.suffixes)]


def drop(files: list[Path]) -> None:
    """Take the files out of the page cache, where the system lets us."""
    for path in files:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def whole(files: list[Path]) -> float:
    """Return the seconds of reading every byte."""
    began = time.perf_counter()
    for path in files:
        with path.open("rb", buffering=0) as file:
            while file.read(1 << 22):
                pass
    return time.perf_counter() - began


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("site", type=Path)
    parser.add_argument("--framework", default="tensorflow")
    parser.add_argument("--version", default="2.10.1")
    parser.add_argument("--os", default="windows", choices=("windows", "linux"))
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    files = binaries(options.site)
    command = [sys.executable, "-c", CHILD, str(options.site), options.framework, options.version, options.os]
    medians = {}
    for name in ("warm", "cold"):
        rows = []
        for number in range(options.runs + (name == "warm")):  # the first warm one fills the cache
            if name == "cold":
                drop(files)
            done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            rows += [done] if number or name == "cold" else []
        medians[name] = {key: statistics.median(row[key] for row in rows) for key in rows[0]}
        found = medians[name]
        print(
            f"{name}: wall {found['wall']:.3f} s, processor {found['cpu']:.3f} s, "
            f"{found['disk'] / 1e6:.1f} MB from disk, {found['memory']:.0f} MB of memory at most"
        )
    print(f"complete: {bool(found['complete'])}; {found['files']} binaries, {found['symbols']} symbols")
    drop(files)
    cold, warm = whole(files), whole(files)
    size = sum(p.stat().st_size for p in files)
    print(f"reading all {size / 1e9:.2f} GB: {cold:.2f} s cold, {warm:.2f} s warm")
    print(f"ratio: {medians['cold']['wall'] / cold:.3f} cold, {medians['warm']['wall'] / warm:.3f} warm")
    cpu, share = max(row["cpu"] for row in medians.values()), medians["cold"]["wall"] / cold
    good = cpu <= LIMIT_S and share <= LIMIT_SHARE
    print(f"within {LIMIT_S:.0f} s and a share of {LIMIT_SHARE}: {'yes' if good else 'no'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
