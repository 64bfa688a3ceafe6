"""conda, mamba, micromamba and pixi where the machine has them: found, never installed; asked for a new environment."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from packaging.version import Version

from trueup.setup import exclusive
from trueup.setup.changes import census, made
from trueup.setup.places import Places
from trueup.setup.scratch import scratch
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Installer = Literal["conda", "pixi"]
NAMES: Final = {"conda": ("mamba", "micromamba", "conda"), "pixi": ("pixi",)}
VARIABLES: Final = ("MAMBA_EXE", "CONDA_EXE")
ASK_S: Final = 120
ALIAS: Final = Version("26.7")  # `conda env create` became another word for `conda create` (conda's #16210)
FORGE_ALONE: Final = ("--override-channels", "--channel", "conda-forge")
PIXI: Final = Path(".pixi", "envs", "default")
TIMEOUT_S: Final = 6 * 3600
YES: Final = {"CONDA_ALWAYS_YES": "true", "MAMBA_ALWAYS_YES": "true"}  # not each release has an option for it
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
    return env_dir / PIXI if program.kind == "pixi" else env_dir


def inside(folder: Path) -> Path:
    """Return the environment of a folder that is one, or that is a workspace of pixi."""
    return folder / PIXI if (folder / PIXI).is_dir() else folder


@dataclass(frozen=True, slots=True)
class Making:
    """A new environment that a program makes. `token` names the build in the journals and in conda's own history."""

    program: Program
    env_dir: Path
    token: str

    def create(self, text: str) -> Path:
        """Make it from a file's text, in a folder that is not there yet, and return its prefix."""
        if os.path.lexists(self.env_dir):
            raise exists(self.env_dir)
        self.env_dir.parent.mkdir(parents=True, exist_ok=True)
        made.begin(self.env_dir, self.token)
        if self.program.kind == "pixi":
            self.env_dir.mkdir()
            census.begin(self.env_dir, self.token)
            manifest = self.env_dir / "pixi.toml"
            manifest.write_text(text, "utf-8")
            run(self.program, ["install", "--manifest-path", str(manifest)], self.env_dir)
        else:
            with scratch() as folder:
                file = folder / f"environment-{self.token}.yml"
                file.write_text(text, "utf-8")
                words = [*_words(self.program), "--file", str(file), "--prefix", str(self.env_dir)]
                run(self.program, words, self.env_dir)
        return prefix_of(self.program, self.env_dir)

    def finish(self) -> None:
        """Say that it is whole: until then a kill leaves what `trueup undo`, or the next build, takes away."""
        census.finish(self.env_dir, prefix_of(self.program, self.env_dir), self.token)
        made.close(self.env_dir)


def _words(program: Program) -> list[str]:
    if program.kind == "micromamba":
        return ["create", "-y"]
    return ["create", "-y", *FORGE_ALONE] if overrides(program) else ["env", "create"]


def overrides(program: Program) -> bool:
    """Tell whether channels are chosen by options: `nodefaults` in a file is a channel to conda from 26.7 on."""
    return program.kind == "conda" and version_of(program) >= ALIAS


def version_of(program: Program) -> Version:
    """Return the program's version; 0 where it does not tell."""
    try:
        done = subprocess.run(
            [program.path, "--version"],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ASK_S, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return Version("0")
    found = re.search(r"\d+\.\d+(\.\d+)?", done.stdout)
    return Version(found[0]) if found else Version("0")


def exists(env_dir: Path) -> TrueupError:
    return TrueupError(Message("env.exists", {"path": str(env_dir)}), Message("env.exists-hint"))


def run(program: Program, words: list[str], env_dir: Path, *, failed: str = "env.installer-failed") -> None:
    """Run it with its own talk on our standard error: it shows its own progress, and knows its own mirrors.

    Its number is noted in the journal beside the environment, so that it does not outlive a killed parent for long.
    Raises TrueupError, with the message `failed` and its hint.
    """
    journal = Places(env_dir).journal
    try:
        with subprocess.Popen(
            [program.path, *words],
            stdin=subprocess.DEVNULL, stdout=STDERR, stderr=STDERR, env={**os.environ, **YES},
        ) as child:  # fmt: skip
            try:
                journal.write("program", **exclusive.identity(child.pid))
                status = child.wait(TIMEOUT_S)
            except BaseException:
                made.stop_orphan(env_dir)
                raise
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _failed(program, str(error), env_dir, failed) from error
    if status:
        raise _failed(program, f"exit status {status}", env_dir, failed)


def _failed(program: Program, text: str, env_dir: Path, code: str) -> TrueupError:
    params = {"name": program.kind, "text": text, "path": str(env_dir)}
    return TrueupError(Message(code, params), Message(f"{code}-hint", params))


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
