"""Runs on Windows Python: every setting of `trueup tune`, changed and taken back on the real registry. Not a test itself."""

from __future__ import annotations

import os
import sys

if sys.platform != "win32":
    raise ImportError("runs on Windows Python only")

import json
import subprocess
import winreg
from pathlib import Path
from typing import TYPE_CHECKING, Any

import changes_probe

from trueup.keep.elevate import run_elevated
from trueup.keep.tune import power
from trueup.keep.tune.apply import apply, kinds, undo_apart
from trueup.keep.tune.look import look
from trueup.keep.tune.model import Asked
from trueup.machine.host.windows import WindowsHost
from trueup.machine.inventory.settings import MIN_CPU, PCIE, POWER, SCHEMES
from trueup.setup.changes import Store

if TYPE_CHECKING:
    from trueup.setup.changes import Change, Kind

BALANCED, HIGH = "381b4222-f694-41f0-9685-ff5bb260df2e", "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c"
MAX_CPU = "54533251-82be-4824-96c1-47b60b740d00\\bc5038f7-23e0-4960-96da-33abaf5935ec"
CONTROL = "HKLM\\SYSTEM\\CurrentControlSet\\Control"
EXPORTED = (
    f"{CONTROL}\\FileSystem",
    f"{CONTROL}\\GraphicsDrivers",
    f"{CONTROL}\\Session Manager\\Power",
    f"{CONTROL}\\Power",
    "HKCU\\Environment",
    "HKCU\\Software\\Microsoft\\DirectX",
)
# Wine's `powercfg` does nothing: this one writes where Windows' power service keeps what it is told
POWERCFG = """
import sys, winreg
verb, plan, *rest = sys.argv[1:]
base = r"SYSTEM\\CurrentControlSet\\Control\\Power\\User\\PowerSchemes"
key, name, kind, value = (base, "ActivePowerScheme", winreg.REG_SZ, plan)
if verb != "/setactive":
    group, setting, number = rest
    key = "\\\\".join((base, plan, group, setting))
    name = {"/setacvalueindex": "ACSettingIndex", "/setdcvalueindex": "DCSettingIndex"}[verb]
    kind, value = winreg.REG_DWORD, int(number)
with winreg.CreateKeyEx(winreg.HKEY_LOCAL_MACHINE, key, 0, winreg.KEY_WRITE | winreg.KEY_WOW64_64KEY) as opened:
    winreg.SetValueEx(opened, name, 0, kind, value)
"""
WISHES = {
    "long-paths": "on", "tdr-level": "off", "tdr-delay": "60", "gpu-scheduling": "on", "fast-startup": "off",
    "power-plan": "high-performance", "cpu-max": "90", "cpu-min": "100", "pcie-power": "off", "cuda-cache": "4GB",
    "gpu-preference": "high-performance",
}  # fmt: skip


def prepare() -> None:
    """Lay out what Windows has and Wine lacks: power plans with their defaults."""
    _set(SCHEMES, "ActivePowerScheme", winreg.REG_SZ, BALANCED)
    for plan in (BALANCED, HIGH):
        _set(f"{SCHEMES}\\{plan}", "FriendlyName", winreg.REG_EXPAND_SZ, "@%SystemRoot%\\x.dll,-1")
    for setting, mains in ((MAX_CPU, 100), (MIN_CPU, 5), (PCIE, 1)):
        for name in (power.MAINS, power.BATTERY):
            _set(f"{POWER}\\{setting}\\DefaultPowerSchemeValues\\{BALANCED}", name, winreg.REG_DWORD, mains)


def _set(key: str, name: str, kind: int, value: Any) -> None:
    path = key.partition("\\")[2]
    access = winreg.KEY_WRITE | winreg.KEY_WOW64_64KEY
    with winreg.CreateKeyEx(winreg.HKEY_LOCAL_MACHINE, path, 0, access) as opened:
        winreg.SetValueEx(opened, name, 0, kind, value)


def exported(folder: Path) -> list[bytes | None]:
    """Return the keys as Windows' own program writes them; None where a key is not there."""
    texts: list[bytes | None] = []
    for key in EXPORTED:
        target = folder / "export.reg"
        target.unlink(missing_ok=True)
        done = subprocess.run(["reg", "export", key, target, "/y"], capture_output=True, check=False)
        texts.append(target.read_bytes() if done.returncode == 0 and target.exists() else None)
    return texts


def all_kinds(folder: Path) -> dict[str, Kind]:
    script = folder / "powercfg.py"
    script.write_text(POWERCFG, "utf-8")
    kind = power.PowerKind(power._value, power._forget, [sys.executable, str(script)])
    return {**kinds(), "power": kind}


def environment(folder: Path) -> str:
    env = folder / "环境" / ".venv"
    (env / "Scripts").mkdir(parents=True, exist_ok=True)
    (env / "Scripts" / "python.exe").write_bytes(b"")
    (env / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).parent}\n", "utf-8")
    return str(env)


def changes_of(folder: Path, *names: str) -> list[Change]:
    values: dict[str, str | None] = {name: WISHES[name] for name in names}
    settings = look(WindowsHost(), Asked(values, environment(folder)))
    return [change for one in settings for change in one.changes]


def walk(folder: Path) -> dict[str, Any]:
    """Look, do, look, undo: each setting alone."""
    answer: dict[str, Any] = {}
    for name, value in WISHES.items():
        store = Store(folder / name, all_kinds(folder))
        before = exported(folder)
        changes = changes_of(folder, name)
        applied = apply(store, "test", changes)
        between = exported(folder)
        [after] = look(WindowsHost(), Asked({name: value}, environment(folder)))
        results = changes_probe.undo(store)
        answer[name] = {
            "done": applied.result,
            "changed": before != between,
            "verdict": after.verdict,
            "results": sorted(set(results)),
            "back": exported(folder) == before,
        }
    return answer


def sweep(folder: Path) -> dict[str, Any]:
    """Kill at every moment of all settings together and take back."""
    clock = changes_probe.Clock(real=False)
    kind: Any = power.PowerKind
    kind.write = clock.dying(kind.write)
    before, wrong = exported(folder), []
    for last in range(1, 1000):
        clock.count, clock.last = 0, 0
        changes = changes_of(folder, *WISHES)
        clock.count, clock.last = 0, last
        try:
            apply(Store(folder / str(last), all_kinds(folder)), "test", changes)
            done = True
        except changes_probe.Killed:
            done = False
        clock.last = 0
        results = changes_probe.undo(Store(folder / str(last), all_kinds(folder)))
        whole = exported(folder) == before if done or last % 10 == 0 else True
        if not whole or not set(results) <= {"restored", "already"}:
            wrong.append([last, results])
        if done:
            return {"moments": last - 1, "wrong": wrong}
    raise AssertionError("it never ends")


def elevated(folder: Path) -> dict[str, Any]:
    """Let a real process of Windows' own `runas` do the step, forth and back."""
    store = Store(folder / "journal", all_kinds(folder))
    before = exported(folder)
    changes = changes_of(folder, "long-paths", "tdr-delay", "cuda-cache")
    applied = apply(store, "test", changes, lambda apart: run_elevated(store.folder, apart))
    between = exported(folder)
    undo_apart(store, store.records()[0], lambda apart: run_elevated(store.folder, apart))
    results = changes_probe.undo(store)
    return {
        "result": applied.result,
        "left": len(applied.left),
        "changed": between != before,
        "results": sorted(set(results)),
        "back": exported(folder) == before,
        "plans": [path.name for path in store.folder.glob("elevated-*")],
    }


def main(act: str, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    os.environ.pop("CUDA_CACHE_MAXSIZE", None)
    prepare()
    sys.stdout.write(json.dumps({"walk": walk, "sweep": sweep, "elevated": elevated}[act](folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
