"""conda, mamba, micromamba and pixi where the machine has them: found, never installed; asked for a new environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Installer = Literal["conda", "pixi"]
NAMES: Final = {"conda": ("mamba", "micromamba", "conda"), "pixi": ("pixi",)}
VARIABLES: Final = ("MAMBA_EXE", "CONDA_EXE")
TIMEOUT_S: Final = 6 * 3600
STDERR: Final = 2  # data goes to standard output


@dataclass(frozen=True, slots=True)
class Program:
    """A found program. `kind` is its own name: conda, mamba, micromamba or pixi."""

    kind: str
    path: str


def find(
    installer: Installer, prefixes: tuple[str, ...] = (), env: Mapping[str, str] = os.environ
) -> Program:
    """Return the program; `prefixes` are the installations that the machine's readers found. Raises TrueupError."""
    for path in _candidates(installer, prefixes, env):
        kind = re.split(r"[.]", Path(path).name.lower())[0]
        if kind in NAMES[installer] and Path(path).is_file():
            return Program(kind, path)
    raise TrueupError(
        Message("env.no-installer", {"names": ", ".join(NAMES[installer])}), Message("env.no-installer-hint")
    )


def _candidates(installer: Installer, prefixes: tuple[str, ...], env: Mapping[str, str]) -> Iterator[str]:
    if installer == "conda":
        yield from (env[name] for name in VARIABLES if env.get(name))
    for name in NAMES[installer]:
        found = shutil.which(name, path=env.get("PATH"))
        if found:
            yield found
    tails = ("Scripts/{}.exe", "condabin/{}.bat") if sys.platform == "win32" else ("bin/{}",)
    for prefix in prefixes:
        for name in NAMES[installer]:
            yield from (str(Path(prefix, tail.format(name))) for tail in tails)
    if installer == "pixi":
        yield str(Path.home() / ".pixi" / "bin" / ("pixi.exe" if sys.platform == "win32" else "pixi"))


def prefix_of(program: Program, env_dir: Path) -> Path:
    """Return where the environment will lie: pixi keeps it inside its workspace."""
    return env_dir / ".pixi" / "envs" / "default" if program.kind == "pixi" else env_dir


def create(program: Program, text: str, env_dir: Path) -> Path:
    """Make the environment from a file's text, in a folder that is not there yet, and return its prefix."""
    if os.path.lexists(env_dir):
        raise TrueupError(Message("env.exists", {"path": str(env_dir)}), Message("env.exists-hint"))
    if program.kind == "pixi":
        env_dir.mkdir(parents=True)
        manifest = env_dir / "pixi.toml"
        manifest.write_text(text, "utf-8")
        _run(program, ["install", "--manifest-path", str(manifest)], env_dir)
        return prefix_of(program, env_dir)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "environment.yml")
        file.write_text(text, "utf-8")
        words = ["create", "-y"] if program.kind == "micromamba" else ["env", "create"]
        _run(program, [*words, "--file", str(file), "--prefix", str(env_dir)], env_dir)
    return env_dir


def _run(program: Program, words: list[str], env_dir: Path) -> None:
    """Run it with its own talk on our standard error: it shows its own progress, and knows its own mirrors."""
    try:
        done = subprocess.run(
            [program.path, *words],
            stdin=subprocess.DEVNULL, stdout=STDERR, stderr=STDERR, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        params = {"name": program.kind, "text": str(error), "path": str(env_dir)}
        raise TrueupError(
            Message("env.installer-failed", params), Message("env.installer-failed-hint", params)
        ) from error
    if done.returncode:
        params = {"name": program.kind, "text": f"exit status {done.returncode}", "path": str(env_dir)}
        raise TrueupError(
            Message("env.installer-failed", params), Message("env.installer-failed-hint", params)
        )


def python_of(prefix: Path) -> Path:
    """Return the interpreter of a conda environment of this system."""
    return prefix / "python.exe" if sys.platform == "win32" else prefix / "bin" / "python"


def find_by_hook(prefix: Path) -> None:
    """Let a Python that is started without activation find conda's CUDA: the hook is told where it lies."""
    from trueup.setup import hook  # noqa: PLC0415

    libraries = prefix / "Library" / "bin" if sys.platform == "win32" else prefix / "lib"
    windows = prefix / "Lib" / "site-packages"
    site = windows if windows.is_dir() else next(prefix.glob("lib/python*/site-packages"))
    hook.install(site)
    (prefix / hook.CHOSEN).write_text(f"{libraries}\n", "utf-8")
