"""Lock, install and prove what trueup would build, and write down what was found, one row a set.

    python tools/proof/measure.py windows --into FOLDER
    python tools/proof/measure.py linux --into FOLDER [--only tensorflow==2.16.1 ...]

`windows`: each described machine and Python is locked; each different lock is unpacked once (2.2 GB to
download, 4 GB on disk) and proven closed. `linux`: each set is built by trueup itself and proven; then the
framework is asked for its devices, with a stand-in driver, first without the hook and then with it.
`page.py` makes the tables of `docs/windows.md` of the rows.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import re
import shlex
import shutil
import subprocess
import time
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from targets import CAPABILITIES, LINUX, windows_machines, with_card

from trueup import setup
from trueup.facts import load
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.host import this_host
from trueup.machine.read import read_machine
from trueup.plan.request import request
from trueup.proof import closure
from trueup.report.closure import as_data
from trueup.report.solution import as_text
from trueup.setup.record import site_packages
from trueup.setup.uv import find

if TYPE_CHECKING:
    from trueup.fit.model import Alignment
    from trueup.machine.model import Machine
    from trueup.plan.lock import Lock

ROWS = Path(__file__).with_name("rows.json")
C = Path(__file__).parents[2] / "tests" / "wine" / "c"
ASK = {
    "tensorflow": "import tensorflow as f; found = [d.name for d in f.config.list_physical_devices('GPU')]",
    "torch": "import torch.cuda as f; found = [f.get_device_name(i) for i in range(f.device_count())]",
    "jax": "import os; os.environ['JAX_PLATFORMS'] = 'cuda'\nimport jax; found = [d.device_kind for d in jax.devices('gpu')]",
    "onnxruntime": (
        "import onnxruntime as o\n"
        "def f(n, b): return bytes([n << 3 | 2, len(b)]) + b\n"
        "t = f(2, f(1, b'\\x08\\x01' + f(2, f(1, b'\\x08\\x01'))))\n"
        "g = f(1, f(1, b'x') + f(2, b'y') + f(4, b'Identity')) + f(2, b'g')\n"
        "g += f(11, f(1, b'x') + t) + f(12, f(1, b'y') + t)\n"
        "m = b'\\x08\\x08' + f(7, g) + f(8, b'\\x10\\x0d')\n"
        "s = o.InferenceSession(m, providers=['CUDAExecutionProvider', 'CPUExecutionProvider'])\n"
        "found = [p for p in s.get_providers() if 'CUDA' in p]"
    ),
}
SILENT_S = 1800  # where others are at work, too
OWN = {"tensorflow": "tensorflow", "torch": "torch", "jax": "jax", "onnxruntime": "onnxruntime"}
SONAME = re.compile(rb"\0lib(?:cu|nv|nccl|caffe2_nvrtc)[A-Za-z0-9_-]*\.so(?:\.\d+)*\0")


def stand_in(folder: Path) -> Path:
    """Compile a driver that answers questions and runs nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    for source, library in (("nvcuda.c", "libcuda.so.1"), ("nvml.c", "libnvidia-ml.so.1")):
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", folder / library, C / source], check=True)
    return folder


def chosen(wish: str, machine: Machine, python: str | None, route: str) -> tuple[Alignment | None, str]:
    solution = solve(Wish((wish,), python=python, routes=(route,)), machine, load())  # type: ignore[arg-type]
    best = solution.best if solution.best and not solution.best.changes else None
    return best, "" if best else as_text(solution, "en", explain=False)


def proven(site: Path, target: closure.Target) -> dict[str, Any]:
    """Return the proof as data, with its own processor time in seconds."""
    files = closure.environment(site)
    start = time.process_time()
    asked = replace(target, capabilities=CAPABILITIES)
    report = closure.prove(files, asked)
    seconds = time.process_time() - start
    if report.code_unknown:  # what the shipped facts do not know is counted, which reads the whole file
        report = closure.prove(files, asked, count_code=True)
    found = as_data(report, "en")
    cards = {g["file"]: {c: row["level"] for c, row in g["cards"].items()} for g in found["gpu_code"]}
    return {
        "seconds": round(seconds, 2),
        "complete": found["complete"],
        "files": found["files"],
        "bytes": found["bytes"],
        "names": sum(found["resolved"].values()),
        "symbols": found["symbols"],
        "unresolved": [m for m in found["missing"] if m["feature"] is None],
        "without": sorted({f"{m['name']} ({m['feature']})" for m in found["missing"] if m["feature"]}),
        "missing_symbols": found["missing_symbols"],
        "wrong_machine": found["wrong_machine"],
        "unreadable": found["unreadable"],
        "code": cards,
        "code_unknown": found["gpu_code_unknown"],
    }


def windows(folder: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return a row for each machine and Python, and what was found of each different lock."""
    rows: list[dict[str, Any]] = []
    sets: dict[str, Any] = {}
    for family, python, machine in windows_machines():
        row: dict[str, Any] = {"family": family, "python": python, "date": today()}
        best, why = chosen("tensorflow", machine, python, "windows-native")
        if best is None:
            rows.append(row | {"told": why})
            continue
        lock = setup.lock(request(best, machine))
        target = closure.target_of(best, machine)
        if lock.sha256 not in sets and target is not None:
            print(family, python, len(lock.packages), "packages")
            sets[lock.sha256] = proven(unpacked(lock, python, folder), target)
        named = {p.name: p.version for p in lock.packages if p.name.startswith(("nvidia", "msvc", "tensorf"))}
        row |= {"lock": lock.sha256, "packages": len(lock.packages), "download": lock.download_bytes}
        rows.append(row | {"versions": named, "parts": parts(lock)})
    return rows, sets


def parts(lock: Lock) -> dict[str, int]:
    """Return the bytes of a download by who they are from."""
    found = dict.fromkeys(("nvidia", "tensorflow", "rest"), 0)
    for package in lock.packages:
        own = package.name.startswith("nvidia") and "nvidia"
        main = package.name in ("tensorflow", "tensorflow-gpu") and "tensorflow"
        found[own or main or "rest"] += package.artifact.size or 0
    return found


def unpacked(lock: Lock, python: str, folder: Path) -> Path:
    """Install a lock for Windows into a folder as an environment there has it."""
    target = folder / "windows" / "Lib" / "site-packages"
    shutil.rmtree(folder / "windows", ignore_errors=True)
    (folder / "pylock.toml").write_text(lock.text, "utf-8")
    options = ["--python-platform", "x86_64-pc-windows-msvc", "--python-version", python]
    uv = find()
    command = [uv.exe, "pip", "sync", "-q", "--target", str(target), *options, "--only-binary", ":all:"]
    subprocess.run([*command, str(folder / "pylock.toml")], env=dict(uv.env), check=True)
    return target


def linux(wish: str, folder: Path, through: list[str]) -> dict[str, Any]:
    """Build a set in `folder`, prove it, ask the framework for its devices, and take it away again."""
    machine = with_card(read_machine(this_host(), env_dir=folder))
    best, why = chosen(wish, machine, None, "linux")
    row: dict[str, Any] = {"wish": wish, "date": today()}
    if best is None:
        return row | {"told": why}
    env = folder / "env"
    shutil.rmtree(env, ignore_errors=True)
    start = time.monotonic()
    question = request(best, machine)
    lock = setup.lock(question)
    setup.build(best, question, env, machine=machine, lock=lock)
    row["build_seconds"] = round(time.monotonic() - start)
    row |= {"python": best.python, "packages": len(lock.packages), "download": lock.download_bytes}
    row["versions"] = {
        p.name: p.version for p in lock.packages if p.name.startswith(("nvidia", "tensorflow"))
    }
    row["framework"], row["version"] = best.builds[0].framework, str(best.builds[0].version)
    target = closure.target_of(best, machine)
    if target is not None:
        row["closure"] = proven(site_packages(env), target)
    row["spoken"] = spoken(site_packages(env), row["framework"])
    driver = stand_in(folder / "driver")
    for mode in ("0", "trace"):
        row["hook" if mode == "trace" else "alone"] = listed(env, row["framework"], driver, mode, through)
    shutil.rmtree(env)
    return row


def listed(env: Path, framework: str, driver: Path, mode: str, through: list[str]) -> dict[str, Any]:
    """Return what a framework lists, and the last lines of what it says."""
    variables = {"LD_LIBRARY_PATH": str(driver), "NVCUDA_DRIVER": "13030", "TRUEUP_HOOK": mode}
    command = [*through, str(env / "bin" / "python"), "-c", ASK[framework] + "\nprint('FOUND', found)"]
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "XLA", "LD_", "TF_"))}
    try:
        done = subprocess.run(
            command, env=clean | variables, capture_output=True, text=True, check=False, timeout=SILENT_S
        )
    except subprocess.TimeoutExpired:
        return {"found": None, "status": "silent", "said": []}
    found = [line[6:] for line in done.stdout.splitlines() if line.startswith("FOUND ")]
    said = [line for line in done.stderr.splitlines() if line.strip()]
    hook = [line.partition("] ")[2] for line in said if line.startswith("[trueup hook] ")]
    rest = [line.replace(str(env), "ENV")[:600] for line in said if not line.startswith("[trueup hook] ")]
    actions = [line.partition(" ")[0] for line in hook]
    counts = {action: actions.count(action) for action in dict.fromkeys(actions)}
    return {"found": found[0] if found else None, "status": done.returncode, "did": counts, "said": rest[-6:]}


def spoken(site: Path, framework: str) -> list[str]:
    """Return the names of NVIDIA libraries that stand in a framework's own binaries, as `dlopen` wants them."""
    own = [p for p in site.glob("*/**/*.so*") if p.is_file() and not p.is_relative_to(site / "nvidia")]
    found: set[bytes] = set()
    for path in own:
        if path.stat().st_size and path.relative_to(site).parts[0].startswith(OWN[framework]):
            with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as view:
                found.update(SONAME.findall(view))
    return sorted(name.strip(b"\0").decode("ascii") for name in found)


def today() -> str:
    return datetime.now(timezone.utc).date().isoformat()


def keep(kind: str, found: Any) -> None:
    kept = json.loads(ROWS.read_text("utf-8")) if ROWS.exists() else {"linux": {}}
    kept[kind] = {**kept["linux"], **found} if kind == "linux" else found
    ROWS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("system", choices=("windows", "linux"))
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=LINUX)
    parser.add_argument("--through", default="", help="a command that starts each framework: `nice -n 15`")
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    if options.system == "windows":
        rows, sets = windows(options.into)
        keep("windows", {"rows": rows, "sets": sets})
        return
    for wish in options.only:
        row = linux(wish, options.into, shlex.split(options.through))
        keep("linux", {wish: row})
        print(wish, row.get("alone"), row.get("hook"), row.get("told", ""))


if __name__ == "__main__":
    main()
