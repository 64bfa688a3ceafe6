"""Install, import, train, start TensorBoard: every TensorFlow minor on every Python of it that is here.

python bench/sweep/sweep.py --python-root FOLDER [--only 2.10] [--way capped] [--resume]

Results go to results.json after each cell, so an interruption loses nothing; results.md is made from it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import tempfile
from dataclasses import asdict, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from cell import Bench, Cell, measure, newest_patch, resolution
from packaging.specifiers import SpecifierSet
from table import render

HERE = Path(__file__).parent
CAPS = HERE.parents[1] / "src" / "trueup" / "facts" / "data" / "caps.json"
MINORS = tuple(f"2.{n}" for n in range(4, 22))
WAYS = ("uncapped", "capped", "dated")


def caps_for(version: str, python: str) -> list[str]:
    """Return the constraints that the facts hold for one release on one Python."""
    rows = json.loads(CAPS.read_text())["rows"]
    return [
        r["constraint"]
        for r in rows
        if version in SpecifierSet(r["versions"]) and (not r["python"] or python in SpecifierSet(r["python"]))
    ]


def pythons(root: Path) -> dict[str, Path]:
    """Return the newest interpreter of each minor below a folder of installations."""
    found = {}
    for folder in sorted(root.iterdir()):
        match = re.match(r"(?:cpython-)?(3\.\d+)\.\d+", folder.name)
        program = folder / "bin" / "python"
        if match and program.exists():
            found[match.group(1)] = program
    return dict(sorted(found.items(), key=lambda p: int(p[0].split(".")[1])))


def load(path: Path) -> list[Cell]:
    return [Cell(**row) for row in json.loads(path.read_text())["cells"]] if path.exists() else []


def save(path: Path, cells: list[Cell]) -> None:
    order = sorted(cells, key=lambda c: (*_numbers(c.minor), *_numbers(c.python), WAYS.index(c.way)))
    new = path.with_suffix(".new")
    new.write_text(
        json.dumps({"schema": "trueup.sweep/1", "cells": [asdict(c) for c in order]}, indent=1) + "\n"
    )
    new.replace(path)
    path.with_suffix(".md").write_text(render(order))


def ran_the_same(bench: Bench, old: Cell, version: str, caps: list[str]) -> bool:
    """Tell whether a cell has run with just what would be installed now."""
    if old.compiled is None:
        return False
    if (old.version, old.caps) == (version, caps):
        return True
    return old.packages == resolution(bench, replace(old, version=version, caps=caps))


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def main() -> None:
    args = _arguments()
    args.scratch.mkdir(parents=True, exist_ok=True)
    bench = Bench(args.uv, pythons(args.python_root), args.scratch)
    cells = load(args.results)
    for minor in args.only or MINORS:
        for python in args.python or bench.pythons:
            version = newest_patch(bench, minor, python)
            if version is None:
                continue
            for way in args.way or WAYS:
                caps = caps_for(version, python) if way == "capped" else []
                old = [c for c in cells if (c.minor, c.python, c.way) == (minor, python, way)]
                if args.resume and old and ran_the_same(bench, old[0], version, caps):
                    continue
                new = measure(bench, Cell(minor, python, way, version, caps=caps))
                cells = [c for c in load(args.results) if (c.minor, c.python, c.way) != (minor, python, way)]
                cells.append(new)
                save(args.results, cells)
                print(
                    minor,
                    python,
                    way,
                    version,
                    "green" if new.green else f"RED {new.error[-300:]}",
                    new.seconds,
                    flush=True,
                )
            bench.run("cache", "clean", "-q", "tensorflow-cpu")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--python-root", type=Path, required=True, help="folder of interpreters, 3.9.18/bin/python"
    )
    parser.add_argument("--only", action="append", help="a TensorFlow minor, such as 2.10")
    parser.add_argument("--python", action="append", help="a Python minor, such as 3.9")
    parser.add_argument("--way", action="append", choices=WAYS)
    parser.add_argument(
        "--resume", action="store_true", help="skip cells measured with the same release and caps"
    )
    parser.add_argument("--results", type=Path, default=HERE / "results.json")
    parser.add_argument("--scratch", type=Path, default=Path(tempfile.gettempdir()) / "trueup-sweep")
    parser.add_argument("--uv", type=Path, default=Path(shutil.which("uv") or "uv"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
