"""The same bench for Windows Python under Wine, as `.ci/wine.sh --tensorflow` installs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from bench import CARD, ROOT, STAND_INS, Bench

sys.path.insert(0, str(ROOT / "tests" / "wine"))

from winehost import MINGW, PREFIX, VARIABLES, alone, start, windows  # one home for what starts Wine
from winehost import ROOT as WINE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from model import Place

WHEELS = WINE / "cache" / "tf210win"  # TensorFlow 2.10.1 and CUDA 11.8, unpacked
NVSMI = PREFIX / "drive_c" / "Program Files" / "NVIDIA Corporation" / "NVSMI"


class WineBench(Bench):
    """An environment below the home folder of Wine's user; the driver is a folder on the search path."""

    def __init__(self, place: Place, uv: Path, source: Path) -> None:
        super().__init__(place, uv, source)
        self.home = PREFIX / "drive_c" / "users" / os.environ.get("USER", "root") / "lab"
        self.env = self.home / "venv"
        self.driver = self.home / "driver"
        self.held = ExitStack()

    @property
    def python(self) -> Path:
        return self.env / "Scripts" / "python.exe"

    @property
    def site(self) -> Path:
        return self.env / "Lib" / "site-packages"

    def run_words(self, words: list[str]) -> list[str]:
        return ["wine", *words]

    def reader(self) -> str:
        return self.spelled(next(p.parent for p in PREFIX.glob("drive_c/Python3*/complete")) / "python.exe")

    def spelled(self, path: Path) -> str:
        """Return a path as the programs under Wine see it."""
        inner = path.relative_to(PREFIX / "drive_c") if path.is_relative_to(PREFIX) else None
        return windows(path) if inner is None else "C:\\" + str(inner).replace("/", "\\")

    def names(self) -> Mapping[str, str]:
        nvidia = sorted({self.spelled(path.parent) for path in self.site.glob("nvidia/*/bin/*.dll")})
        return {
            "driver": self.spelled(self.driver),
            "nvidia": ";".join(nvidia),
            "home": self.spelled(self.home),
            "python": self.spelled(self.python),
        }

    def build(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.driver.mkdir(parents=True)
        NVSMI.mkdir(parents=True, exist_ok=True)
        for source, target in (("nvcuda.c", self.driver / "nvcuda.dll"), ("nvml.c", NVSMI / "nvml.dll")):
            subprocess.run(
                [MINGW, "-shared", "-s", "-O1", "-w", "-o", target, STAND_INS / source], check=True
            )
        command = ["wine", self.reader(), "-m", "venv", "--without-pip", self.spelled(self.env)]
        subprocess.run(
            command, env=self.base(), check=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=300
        )
        shutil.copytree(WHEELS, self.site, copy_function=os.link, dirs_exist_ok=True)
        for dll in (*(self.site / "Scripts").glob("*.dll"), *self.site.glob("*140*.dll")):
            shutil.move(dll, self.env / ("Scripts" if dll.parent.name == "Scripts" else ".") / dll.name)

    def install(self, requirements: Iterable[str], *, deps: bool) -> None:
        """Unpack over what is there: uv does not start Windows' Python."""
        words = ("--target", str(self.site), "--python-platform", "windows", "--python-version", "3.10")
        alone = [] if deps else ["--no-deps"]
        self.uv("pip", "install", "-q", "--upgrade", *words, *alone, *requirements)

    def prepare(self) -> None:
        """Wait: Wine itself needs the lock."""

    def begin(self) -> None:
        self.held.enter_context(alone())
        start()
        self.build()

    def restore(self) -> None:
        self.build()

    def clean(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.rmtree(NVSMI.parent, ignore_errors=True)
        self.held.close()

    def base(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "USER")}
        return {**kept, "LC_ALL": "C.UTF-8", "VIRTUAL_ENV": self.spelled(self.env), **VARIABLES}

    def variables(self, more: Mapping[str, str]) -> dict[str, str]:
        filled = {name: value.format_map(self.names()) for name, value in more.items()}
        given = {"WINEPATH": self.spelled(self.driver), **CARD, **filled}
        return self.base() | {name: value for name, value in given.items() if value != "-"}
