"""Runs on Windows Python: sets the registry as installers would, asks for a check-up, cleans up. Not a test itself."""

from __future__ import annotations

import os
import sys

if sys.platform != "win32":
    raise ImportError("runs on Windows Python only")

import winreg
from pathlib import Path

TAG = r"SOFTWARE\Python\PythonCore\3.97-32"
DISPLAY = r"SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0097"


def write(root: int, path: str, values: dict[str, str]) -> None:
    with winreg.CreateKeyEx(root, path, 0, winreg.KEY_WRITE | winreg.KEY_WOW64_64KEY) as key:
        for name, value in values.items():
            winreg.SetValueEx(key, name, 0, winreg.REG_SZ, value)


def main(root: Path) -> int:
    """Make a Windows that has a 32-bit Python, an old driver's card, CUDA on PATH, Store stubs; then check it."""
    python = root / "Python 3.97"
    write(winreg.HKEY_CURRENT_USER, TAG, {"Version": "3.97.1", "SysArchitecture": "32bit"})
    write(winreg.HKEY_CURRENT_USER, TAG + r"\InstallPath", {"": f"{python}\\"})
    card = {"DriverDesc": "NVIDIA GeForce RTX 3060", "MatchingDeviceId": r"PCI\VEN_10DE&DEV_2504"}
    write(winreg.HKEY_LOCAL_MACHINE, DISPLAY, {**card, "DriverVersion": "31.0.15.3667"})
    os.environ.update(
        LOCALAPPDATA=str(root / "Local"),
        PROGRAMFILES=str(root / "Program Files"),
        PATH=f"{root / 'Local' / 'Microsoft' / 'WindowsApps'};{root / '库' / 'bin'};{os.environ['PATH']}",
    )
    try:
        from trueup.cli.main import run  # the environment is ready now

        return run(sys.argv[2:])
    finally:
        for hive, path in (
            (winreg.HKEY_CURRENT_USER, TAG + r"\InstallPath"),
            (winreg.HKEY_CURRENT_USER, TAG),
            (winreg.HKEY_LOCAL_MACHINE, DISPLAY),
        ):
            winreg.DeleteKeyEx(hive, path, winreg.KEY_WOW64_64KEY, 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
