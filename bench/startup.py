"""Start-up against env-doctor, side by side in one run.

    python bench/startup.py [--runs 9]

Both tools are installed from their package index into environments of their own; runs alternate, and the
medians' ratio is what counts: `--help` at most 0.4, `check` at most 0.5.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {"--help": 0.4, "check": 0.5}


def environment(folder: Path, requirement: str) -> Path:
    subprocess.run(
        [sys.executable, "-m", "uv", "venv", "-q", "--python", sys.executable, str(folder)], check=True
    )
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", "-q", "--python", str(python), requirement], check=True
    )
    return python.parent


def seconds(command: list[str], cwd: Path) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return time.perf_counter() - start


def full_folder(folder: Path, files: int) -> Path:
    """Make a folder that a careless tool would walk."""
    for start in range(0, files, 1000):
        part = folder / f"part{start}"
        part.mkdir(parents=True)
        for number in range(start, min(start + 1000, files)):
            (part / f"{number}.py").write_text("import os\n")
    return folder


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--files", type=int, default=30_000)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        ours = environment(Path(scratch, "ours"), str(ROOT)) / "trueup"
        theirs = environment(Path(scratch, "theirs"), "env-doctor") / "env-doctor"
        empty = Path(scratch, "empty")
        empty.mkdir()
        folders = {
            "empty folder": empty,
            f"{options.files} files": full_folder(Path(scratch, "full"), options.files),
        }
        print(
            "| command | folder | trueup s | env-doctor s | ratio | limit |\n| --- | --- | --: | --: | --: | --: |"
        )
        for word, limit in LIMITS.items():
            for name, cwd in folders.items():
                pairs = [
                    (seconds([str(ours), word], cwd), seconds([str(theirs), word], cwd))
                    for _ in range(options.runs)
                ]
                mine, other = (statistics.median(column) for column in zip(*pairs, strict=True))
                failed |= mine > limit * other
                print(
                    f"| `{word}` | {name} | {mine:.2f} | {other:.2f} | {mine / other:.2f} | {limit} |",
                    flush=True,
                )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
