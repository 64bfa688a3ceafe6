"""One cell of the sweep: resolve, install, import, train a step, start TensorBoard, delete."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import tempfile
import time
import warnings
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import tomllib
from packaging.specifiers import SpecifierSet

PROBE = Path(__file__).with_name("probe.py")
BARE = SpecifierSet(">=2.21")  # releases that no longer ask for TensorBoard
WINDOWS = "x86_64-pc-windows-msvc"
FAMILY = ("tensorflow", "keras", "tensorflow_estimator", "tensorboard")
OLD_NAMES = {"bool", "object", "int", "float", "complex", "str", "long", "unicode"}


@dataclass
class Cell:
    """What was asked and what came of it. `None` in a step: not reached."""

    minor: str
    python: str
    way: str  # capped, uncapped, dated
    version: str = ""
    date: str = ""
    caps: list[str] = field(default_factory=list)
    packages: dict[str, str] = field(default_factory=dict)
    sdists: list[str] = field(default_factory=list)  # no wheel for this platform: built from source
    sdists_windows: list[str] | None = None
    same_as_tensorflow: bool | None = None  # the package `tensorflow` resolves to the same dependencies
    released: str | None = None
    numpy: str | None = None
    old_numpy_names: list[str] | None = None  # files that use names which NumPy 1.24 has no longer
    resolved: bool | None = None
    installed: bool | None = None
    imported: bool | None = None
    trained: bool | None = None
    compiled: bool | None = None  # AutoGraph
    saved: bool | None = None
    tensorboard: bool | None = None
    error: str = ""
    seconds: float = 0.0

    @property
    def green(self) -> bool:
        steps = (self.installed, self.imported, self.trained, self.compiled, self.saved, self.tensorboard)
        return all(steps)


@dataclass(frozen=True)
class Bench:
    """Where things are: uv, the interpreters by "3.9", the folder for throw-away things."""

    uv: Path
    pythons: dict[str, Path]
    scratch: Path

    def run(self, *args: str, seconds: int = 900) -> subprocess.CompletedProcess[str]:
        # No compiler: what a Windows user without Visual Studio cannot build must fail here too.
        no_compiler = {"CC": "/bin/false", "CXX": "/bin/false"}
        env = os.environ | no_compiler | {"UV_CACHE_DIR": str(self.scratch / "uv-cache"), "UV_NO_CONFIG": "1"}
        return subprocess.run(
            [str(self.uv), *args], capture_output=True, text=True, env=env, timeout=seconds, check=False
        )


def newest_patch(bench: Bench, minor: str, python: str) -> str | None:
    """Return the newest release of a minor that has a wheel for this Python; None where there is none."""
    done = _compile(bench, python, [f"tensorflow-cpu=={minor}.*"], [], ["--no-deps"])
    return None if isinstance(done, str) else str(done[0]["version"])


def measure(bench: Bench, cell: Cell) -> Cell:
    """Fill in a cell that knows what is asked: minor, python, way, version and caps."""
    cell.date = datetime.now(timezone.utc).date().isoformat()
    start = time.monotonic()
    locked = _resolve(bench, cell)
    if locked is not None:
        with tempfile.TemporaryDirectory(dir=bench.scratch, prefix="cell-") as folder:
            _install_and_run(bench, cell, Path(folder), locked)
    cell.seconds = round(time.monotonic() - start, 1)
    return cell


def resolution(bench: Bench, cell: Cell) -> dict[str, str]:
    """Return what would be installed, empty where nothing fits."""
    _resolve(bench, cell)
    return cell.packages


def _resolve(bench: Bench, cell: Cell) -> str | None:
    wish = _wish("tensorflow-cpu", cell)
    dated: list[str] = []
    if cell.way == "dated":
        alone = _compile(bench, cell.python, wish[:1], [], ["--no-deps"])
        uploaded = max(w["upload-time"] for w in alone[0]["wheels"]) if not isinstance(alone, str) else None
        if uploaded is None:
            cell.resolved, cell.error = False, str(alone)
            return None
        cell.released = uploaded.date().isoformat()
        dated = ["--exclude-newer", (uploaded + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ")]
    found = _compile(bench, cell.python, wish, cell.caps, dated)
    cell.resolved = not isinstance(found, str)
    cell.packages = {}
    if isinstance(found, str):
        cell.error = found
        return None
    cell.packages = _names(found)
    cell.sdists = sorted(p["name"] for p in found if not p.get("wheels"))
    if cell.way == "capped":
        _compare(bench, cell)
    return "\n".join(f"{p['name']}=={p['version']}" for p in found)


def _wish(package: str, cell: Cell) -> list[str]:
    return [f"{package}=={cell.version}", *(["tensorboard"] if cell.version in BARE else [])]


def _compare(bench: Bench, cell: Cell) -> None:
    wish = _wish("tensorflow", cell)
    plain = _compile(bench, cell.python, wish, cell.caps, [])
    if not isinstance(plain, str):
        mine = {k: v for k, v in cell.packages.items() if not k.startswith("tensorflow-cpu")}
        cell.same_as_tensorflow = mine == {k: v for k, v in _names(plain).items() if k != "tensorflow"}
    windows = _compile(bench, cell.python, wish, cell.caps, ["--python-platform", WINDOWS])
    if not isinstance(windows, str):
        cell.sdists_windows = sorted(p["name"] for p in windows if not p.get("wheels"))


def _names(found: list[dict[str, Any]]) -> dict[str, str]:
    return {p["name"]: p["version"] for p in found}


def _compile(
    bench: Bench, python: str, wish: list[str], caps: list[str], more: list[str]
) -> list[dict[str, Any]] | str:
    with tempfile.TemporaryDirectory(dir=bench.scratch, prefix="lock-") as folder:
        asked, capped, lock = (Path(folder) / n for n in ("in.txt", "caps.txt", "pylock.toml"))
        asked.write_text("\n".join(wish))
        capped.write_text("\n".join(caps))
        files = [str(asked), "-c", str(capped), "--format", "pylock.toml", "-o", str(lock)]
        done = bench.run("pip", "compile", "-q", "-p", str(bench.pythons[python]), *files, *more)
        if done.returncode:
            return _tail(done.stderr, 6)
        packages: list[dict[str, Any]] = tomllib.loads(lock.read_text())["packages"]
        return packages


def _install_and_run(bench: Bench, cell: Cell, folder: Path, locked: str) -> None:
    venv, lock = folder / "venv", folder / "lock.txt"
    lock.write_text(locked)
    bench.run("venv", "-q", "--no-project", "-p", str(bench.pythons[cell.python]), str(venv))
    python = venv / "bin" / "python"
    done = bench.run("pip", "install", "-q", "--no-deps", "-p", str(python), "-r", str(lock))
    cell.installed = done.returncode == 0
    if not cell.installed:
        cell.error = _tail(done.stderr, 8)
        return
    cell.old_numpy_names = old_numpy_names(next(venv.glob("lib/python*/site-packages")))
    marks, error = _probe(python, "train", 600)
    cell.imported, cell.trained = "IMPORTED" in marks, "TRAINED" in marks
    cell.compiled, cell.saved = "COMPILED" in marks, "SAVED" in marks
    cell.numpy = marks.get("NUMPY")
    cell.error = error if not cell.saved else ""
    marks, error = _probe(python, "board", 400)
    cell.tensorboard = marks.get("BOARD") == "200"
    if not cell.tensorboard:
        cell.error = f"{cell.error}\n[tensorboard] {error}".strip()
    shutil.rmtree(venv, ignore_errors=True)


def old_numpy_names(packages: Path) -> list[str]:
    """Return where TensorFlow's own family uses np.bool and its like, which NumPy 1.24 took away."""
    found = []
    for name in FAMILY:
        for file in sorted((packages / name).rglob("*.py")):
            text = file.read_text("utf-8", "replace")
            if any(f"np.{old}" in text for old in OLD_NAMES):
                where = file.relative_to(packages).as_posix()
                found += [f"{where}:{line} {used}" for line, used in _old_names(text)]
    return found


def _old_names(text: str) -> list[tuple[int, str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = ast.walk(ast.parse(text))
    used = [n for n in nodes if isinstance(n, ast.Attribute) and n.attr in OLD_NAMES]
    return [(n.lineno, f"np.{n.attr}") for n in used if isinstance(n.value, ast.Name) and n.value.id == "np"]


def _probe(python: Path, what: str, seconds: int) -> tuple[dict[str, str], str]:
    env = os.environ | {"CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "1"}
    try:
        done = subprocess.run(
            [str(python), str(PROBE), what],
            capture_output=True,
            text=True,
            env=env,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {}, f"no answer in {seconds} s"
    lines = [line.partition(" ") for line in done.stdout.splitlines()]
    error = _tail(done.stderr or done.stdout, 8)
    return {w: rest for w, _, rest in lines if w.isupper()}, error or f"exit status {done.returncode}"


def _tail(text: str, count: int) -> str:
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])
