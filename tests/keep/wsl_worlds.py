"""A Windows on its way to WSL2: each step changes the machine, and nothing else remembers where it is."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "machine"))
from world import World  # lies beside the tests of the machine

from trueup.keep.wsl import wslexe
from trueup.keep.wsl.read import CIM, PENDING
from trueup.machine.wsl import DISTROS

__all__ = ["EXE", "Windows", "World"]
EXE = "C:\\Windows\\System32\\wsl.exe"
SHELL = "C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe -NoProfile -NonInteractive -Command "
NOT_THERE = {"code": 1, "out": "Windows Subsystem for Linux is not installed.\n"}


@dataclass
class Windows:
    """What is true of the machine; `staged`: the component is on and waits for the restart."""

    build: int = 22631
    firmware: bool = True
    platform: bool = True
    staged: bool = False
    launch: bool = True
    wsl: str | None = "2.3.26.0"
    kernel: str = "5.15.167.4-1"
    distro: str | None = "Ubuntu"
    version: int = 2
    uid: int = 1000
    driver: str | None = "551.86"
    trueup: str | None = "0.1.0"
    cim: bool = True
    pending: bool = False

    @property
    def hypervisor(self) -> bool:
        return self.firmware and self.platform and self.launch and not self.staged

    def restart(self) -> None:
        self.staged = self.pending = False

    def world(self) -> World:
        registry: dict[str, Any] = {PENDING: {}}
        if self.staged or self.pending:
            registry[f"{PENDING}\\RebootPending"] = {}
        if self.distro:
            registry[DISTROS] = {"DefaultDistribution": "{a}"}
            values = {"DistributionName": self.distro, "Version": self.version, "DefaultUid": self.uid}
            registry[f"{DISTROS}\\{{a}}"] = {**values, "State": 1}
        nvml = {"driver": self.driver, "cuda": 12040, "devices": []} if self.driver else None
        return World(
            {
                "platform": "windows",
                "env": {"SYSTEMROOT": "C:\\Windows"},
                "system": {"machine": "AMD64", "release": f"10.0.{self.build}"},
                "registry": registry,
                "runs": self.runs(),
                **({"nvml": nvml} if nvml else {}),
            }
        )

    def runs(self) -> dict[str, Any]:
        firmware = self.firmware and not self.hypervisor  # as Windows says it under its own hypervisor
        told = f"firmware={firmware}\nhypervisor={self.hypervisor}\nplatform={1 if self.platform else 2}\n"
        runs: dict[str, Any] = {f"{EXE} --version": NOT_THERE, f"{EXE} --list --verbose": NOT_THERE}
        if self.cim:
            runs[SHELL + CIM] = {"code": 0, "out": told}
        if self.wsl:
            text = f"WSL version: {self.wsl}\nKernel version: {self.kernel}\nWindows version: 10.0.1\n"
            runs[f"{EXE} --version"] = {"code": 0, "out": text}
        if self.distro:
            rows = f"  NAME      STATE           VERSION\n* {self.distro}    Stopped         {self.version}\n"
            runs[f"{EXE} --list --verbose"] = {"code": 0, "out": rows}
            said = f"trueup {self.trueup}\n" if self.trueup else "none\n"
            runs[f"{EXE} -d {self.distro} -e sh -c {wslexe.FIND}"] = {"code": 0, "out": said}
        return runs
