"""Runs on Windows Python: a command line of trueup whose data lies in a given folder. Not a test itself."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    raise ImportError("runs on Windows Python only")

import json
import os
import winreg
from pathlib import Path
from typing import Any

import changes_probe

from trueup.cli import places
from trueup.cli.main import run
from trueup.keep.clean import find
from trueup.setup.changes import registry

ENVIRONMENT = "Environment"
FLAGS = winreg.KEY_ALL_ACCESS | winreg.KEY_WOW64_64KEY
PYTHON = "SOFTWARE\\Python\\PythonCore\\3.7-测试"
VALUES: dict[tuple[str, str], tuple[int, bytes]] = {
    ("", "DisplayName"): (1, "Python 3.7 (64 位)\0".encode("utf-16-le")),
    ("", "no end"): (1, "ab".encode("utf-16-le")),
    ("", "none"): (0, b"\x07"),
    ("", "short number"): (4, b"\x01"),
    ("\\InstallPath", ""): (1, "C:\\gone 没有\\Python37\\\0".encode("utf-16-le")),
    ("\\InstallPath", "ExecutablePath"): (2, "C:\\gone 没有\\Python37\\python.exe\0".encode("utf-16-le")),
    ("\\PythonPath", ""): (1, "C:\\gone 没有\\Python37\\Lib\0".encode("utf-16-le")),
    ("\\Help\\Main Python Documentation", ""): (1, "x\0".encode("utf-16-le")),
}


def put(key: str, name: str, number: int, data: bytes) -> None:
    with winreg.CreateKeyEx(winreg.HKEY_CURRENT_USER, key, 0, FLAGS) as opened:
        assert registry._SET(int(opened), name, 0, number, data, len(data)) == 0


def environment() -> dict[str, tuple[int, bytes]]:
    with winreg.OpenKey(winreg.HKEY_CURRENT_USER, ENVIRONMENT, 0, FLAGS) as opened:
        names = [winreg.EnumValue(opened, at)[0] for at in range(winreg.QueryInfoKey(opened)[1])]
        return {name: registry._raw(opened, name) for name in names}


def save(folder: Path) -> None:
    kept = {name: [number, data.hex()] for name, (number, data) in environment().items()}
    (folder / "saved.json").write_text(json.dumps(kept), "utf-8")


def restore(folder: Path) -> None:
    kept: dict[str, Any] = json.loads((folder / "saved.json").read_text("utf-8"))
    with winreg.OpenKey(winreg.HKEY_CURRENT_USER, ENVIRONMENT, 0, FLAGS) as opened:
        for name in environment():
            if name not in kept:
                winreg.DeleteValue(opened, name)
    for name, (number, data) in kept.items():
        put(ENVIRONMENT, name, number, bytes.fromhex(data))
    changes_probe.clean("HKCU", PYTHON)


def main(act: str, folder: Path, *words: str) -> int:
    places.data_folder = lambda: folder / "data"
    find.RECENT_S = 0  # all is fresh here
    for name in ("USERPROFILE", "LOCALAPPDATA", "APPDATA"):  # Wine sets its own at each start
        os.environ[name] = os.environ.get(f"TRUEUP_{name}", os.environ[name])
    if act == "save":
        save(folder)
    elif act == "restore":
        restore(folder)
    elif act == "put":
        document = json.loads(Path(words[0]).read_text("utf-8"))
        for name, (number, text) in document.items():
            put(ENVIRONMENT, name, number, text.encode("utf-16-le"))
    elif act == "python":
        for (below, name), (number, data) in VALUES.items():
            put(PYTHON + below, name, number, data)
    elif act == "kill":
        changes_probe.Clock(real=True).last = int(words[0])
        return run(words[1:])
    else:
        return run(words)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
