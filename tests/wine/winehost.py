"""CPython for Windows under Wine: how a test starts it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
ROOT = Path(os.environ.get("TRUEUP_WINE") or CACHE / "trueup-wine")
PREFIX = ROOT / "prefix"
CLEAN = ROOT / "clean"  # the registry and the list of files as `.ci/wine.sh` left them
VARIABLES = {"WINEPREFIX": str(PREFIX), "WINEDEBUG": "-all", "WINEDLLOVERRIDES": "mscoree,mshtml="}
KEPT = ("envs", "Python3")  # environments are large and made anew by who uses them
MINGW = "x86_64-w64-mingw32-gcc"
OFF = ("unshare", "-n")


@dataclass(frozen=True)
class Wine:
    """`python` is a Windows path; `variables` are those of Wine itself; `through` starts each program."""

    prefix: Path
    python: str
    variables: dict[str, str] = field(default_factory=dict)
    through: tuple[str, ...] = ()

    def path(self, windows: str) -> Path:
        r"""Return where a Windows path such as `C:\x` lies on this machine."""
        drive, _, rest = windows.replace("\\", "/").partition(":/")
        return self.prefix / "dosdevices" / f"{drive.lower()}:" / rest

    def run(
        self, *command: str | Path, stdin: str | None = None, timeout: float = 120, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a Windows program. Its streams are pipes: under Wine 8 Python dies on regular files."""
        started = self.begin(*command, **variables)
        try:
            out, error = started.communicate(stdin or "", timeout=timeout)
        except subprocess.TimeoutExpired:
            started.kill()
            started.communicate()
            raise
        return subprocess.CompletedProcess(command, started.returncode, out, error)

    def begin(self, *command: str | Path, **variables: str) -> subprocess.Popen[str]:
        """Start a Windows program; without `through` the process here is the Windows process."""
        kept = {
            k: v
            for k, v in os.environ.items()
            if not k.startswith(("PYTHON", "TRUEUP", "XLA", "UV_", "VIRTUAL"))
        }
        env = kept | {"LC_ALL": "C.UTF-8"} | self.variables | variables
        env.pop("DISPLAY", None)
        return subprocess.Popen(
            [*self.through, "wine", *map(windows, command)],
            env=env,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
        )

    def py(
        self, *arguments: str | Path, timeout: float = 120, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return self.run(self.python, *arguments, timeout=timeout, **variables)

    def out(self, *arguments: str | Path, timeout: float = 120, **variables: str) -> str:
        done = self.py(*arguments, timeout=timeout, **variables)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()


@contextmanager
def alone() -> Iterator[None]:
    """Be the prefix's only user, and begin with it as it was installed: a run that was ended leaves things behind."""
    if sys.platform == "win32":
        raise RuntimeError("Wine runs on Linux")
    import fcntl

    with (ROOT / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        stop()
        restore()
        yield


def start(*through: str) -> None:
    """Start Wine's server with no pipe: it would keep it open for ever. Sockets of all programs are the server's."""
    for command in (["wineserver", "-p300"], ["wine", "cmd", "/c", "exit"]):
        _quietly(*through, *command)


def stop() -> None:
    """End the server and all that runs under it, and wait until the registry is written."""
    _quietly("wineserver", "-k")
    _quietly("wineserver", "-w")


def restore() -> None:
    """Bring registry and files back to what `.ci/wine.sh` left; no Wine may run."""
    if not CLEAN.is_dir():  # installed before it wrote this down
        return
    for saved in CLEAN.glob("*.reg"):
        shutil.copy2(saved, PREFIX / saved.name)
    listed = set((CLEAN / "files").read_text("utf-8").splitlines())
    drive = PREFIX / "drive_c"
    for folder, folders, names in os.walk(drive):
        here = Path(folder)
        if here == drive:
            folders[:] = [name for name in folders if not name.startswith(KEPT)]
        for name in [*folders, *names]:
            path = here / name
            if path.relative_to(drive).as_posix() in listed:
                continue
            if path.is_dir() and not path.is_symlink():
                folders.remove(name)
                shutil.rmtree(path)
            else:
                path.unlink()


def _quietly(*command: str) -> None:
    env = {k: v for k, v in os.environ.items() if k != "DISPLAY"} | VARIABLES
    subprocess.run(command, env=env, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL, check=False, timeout=120)


def windows(path: str | Path) -> str:
    """Return a path of this machine as Windows programs under Wine see it; other arguments as they are."""
    return "Z:" + str(path).replace("/", "\\") if isinstance(path, Path) else path


def dll(target: Path, source: str, *needs: Path, version: str | None = None) -> None:
    """Compile a DLL; `version` such as "14,42,0,0" goes into its resource."""
    target.parent.mkdir(parents=True, exist_ok=True)
    parts = [target.with_suffix(".c")]
    parts[0].write_text(source)
    if version:
        script, resource = target.with_suffix(".rc"), target.with_suffix(".res.o")
        script.write_text(f"1 VERSIONINFO FILEVERSION {version} BEGIN END\n")
        subprocess.run(["x86_64-w64-mingw32-windres", script, resource], check=True)
        parts.append(resource)
    subprocess.run([MINGW, "-shared", "-s", "-o", target, *parts, *needs], check=True)
    for part in target.parent.glob(f"{target.stem}.*"):
        if part != target:
            part.unlink()
