"""Make the faults of the laboratory and record what the software prints.

python lab/run.py --scratch FOLDER --pythons FOLDER [--only NAME ...] [--list]
"""

from __future__ import annotations

import argparse
import fcntl
import itertools
import shutil
import subprocess
import sys
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from bench import ROOT, Bench, enter
from faults import ALL
from record import record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from model import Fault, Place

HERE = Path(__file__).parent
RECORDED = HERE / "recorded"


def main() -> int:
    args = arguments()
    chosen = [fault for fault in ALL if not args.only or any(fault.name.startswith(n) for n in args.only)]
    if args.missing:
        chosen = [fault for fault in chosen if not (RECORDED / fault.name / "truth.json").exists()]
    if args.list:
        for fault in chosen:
            print(f"{fault.name}: {fault.made} -> {', '.join(fault.truth)}")
        return 0
    if not args.inside and any(fault.place.system == "linux" for fault in chosen):
        words = [sys.executable, str(Path(__file__).absolute()), *sys.argv[1:], "--inside"]
        return enter(args.scratch, args.pythons, words)
    places = [(place, list(group)) for place, group in itertools.groupby(chosen, key=lambda one: one.place)]
    benches = [bench_for(place, args.uv, args.source) for place, _ in places]
    failed = 0
    with ThreadPoolExecutor(1) as pool, ExitStack() as held:
        turn = pool.submit(
            held.enter_context, locked(args.lock)
        )  # wait for it while the environments are built
        ready = [prepared(bench) for bench in benches]
        turn.result()
        for bench, good, (_, faults) in zip(benches, ready, places, strict=True):
            if not good:
                failed += len(faults)
                continue
            with ExitStack() as done:
                done.callback(bench.clean)  # also where it is ended in the middle
                bench.begin()
                failed += sum(not recorded(bench, fault) for fault in faults)
    return int(failed > 0)


def bench_for(place: Place, uv: Path, source: Path) -> Bench:
    if place.system == "linux":
        return Bench(place, uv, source)
    from wine import WineBench  # noqa: PLC0415  # only where Wine is

    return WineBench(place, uv, source)


def prepared(bench: Bench) -> bool:
    try:
        bench.prepare()
    except (OSError, RuntimeError, subprocess.SubprocessError):
        traceback.print_exc()
        return False
    return True


def recorded(bench: Bench, fault: Fault) -> bool:
    try:
        code = record(bench, fault, RECORDED / fault.name)
    except Exception:  # noqa: BLE001  # the others are still worth recording
        traceback.print_exc()
        bench.build()
        return False
    print(f"{fault.name}: exit {code}", flush=True)
    return True


@contextmanager
def locked(path: Path | None) -> Iterator[None]:
    if path is None:
        yield
        return
    if sys.platform == "win32":
        raise SystemExit("the laboratory runs on Linux")
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scratch", type=Path, default=Path.home() / ".cache" / "trueup-lab")
    parser.add_argument("--pythons", type=Path, default=Path.home() / ".pyenv" / "versions")
    parser.add_argument("--uv", type=Path, default=Path(shutil.which("uv") or Path(sys.prefix, "bin", "uv")))
    parser.add_argument("--source", type=Path, default=ROOT / "src", help="of trueup, that reads the machine")
    parser.add_argument("--lock", type=Path, help="a file that others lock too who run heavy programs")
    parser.add_argument("--only", action="append", help="faults whose names begin so")
    parser.add_argument("--missing", action="store_true", help="only faults that are not recorded yet")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
