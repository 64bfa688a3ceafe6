"""Runs on Windows Python: changes of the registry, killed at a given moment, or taken back. Not a test itself."""

from __future__ import annotations

import os
import sys

if sys.platform != "win32":
    raise ImportError("runs on Windows Python only")

import json
import winreg
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.setup.changes import Store, registry
from trueup.setup.changes.files import file_change
from trueup.setup.changes.registry import registry_changes

if TYPE_CHECKING:
    from trueup.setup.changes.model import Change

KEY = "SOFTWARE\\trueup 测试"
HIVES = {"HKCU": winreg.HKEY_CURRENT_USER, "HKLM": winreg.HKEY_LOCAL_MACHINE}
# name -> type's number and bytes, as any program may have stored them
BEFORE: dict[str, tuple[int, bytes]] = {
    "": (1, "默认\0".encode("utf-16-le")),
    "text": (1, "a\0".encode("utf-16-le")),
    "no end": (1, "ab".encode("utf-16-le")),
    "with NUL": (1, "a\0b\0".encode("utf-16-le")),
    "expand": (2, "%PATH%;C:\\库\0".encode("utf-16-le")),
    "many": (7, "一\0\0two\0\0".encode("utf-16-le")),
    "number": (4, b"\x01\x02\x03\x04"),
    "short number": (4, b"\x01"),
    "big": (11, b"\xff" * 8),
    "bytes": (3, bytes(range(256)) * 3),
    "none": (0, b"\x07"),
    "empty none": (0, b""),
    "big-endian": (5, b"\x00\x00\x00\x01"),
    "private type": (0x1234, b"\x01\x02"),
    "名字": (1, "值\0".encode("utf-16-le")),
}


def raw_set(hive: str, name: str, number: int, data: bytes, key: str = KEY) -> None:
    """Store any bytes under any type, past Python's own conversion."""
    with winreg.CreateKeyEx(HIVES[hive], key, 0, winreg.KEY_WRITE | winreg.KEY_WOW64_64KEY) as opened:
        assert registry._SET(int(opened), name, 0, number, data, len(data)) == 0


def prepare() -> None:
    for hive in HIVES:
        for name, (number, data) in BEFORE.items():
            raw_set(hive, name, number, data)


def changes(hive: str) -> list[Change]:
    """Return changes of every value, of new ones, of new keys, and removals."""
    whole = f"{hive}\\{KEY}"
    new: list[tuple[str, str, str | None, Any]] = [
        (whole, "", "REG_SZ", "ours"),
        (whole, "text", "REG_EXPAND_SZ", "%X%"),
        (whole, "no end", "REG_DWORD", 1),
        (whole, "with NUL", None, None),
        (whole, "many", "REG_MULTI_SZ", ["x", "y"]),
        (whole, "short number", None, None),
        (whole, "big", "REG_QWORD", 5),
        (whole, "bytes", "REG_BINARY", "00"),
        (whole, "none", "REG_SZ", "was none"),
        (whole, "empty none", None, None),
        (whole, "big-endian", None, None),
        (whole, "private type", "REG_DWORD", 7),
        (whole, "名字", None, None),
        (whole, "new value", "REG_SZ", "新"),
        (whole + "\\new\\键", "a", "REG_DWORD", 3),
        (whole + "\\new\\键", "", "REG_SZ", "default"),
    ]
    return [change for one in new for change in registry_changes(*one)]


class Killed(BaseException):
    """What a sweep uses in place of an end of the process: nothing of ours catches it."""


class Clock:
    """Counts the steps that reach the disk or the registry, and ends the run before or after one of them."""

    def __init__(self, real: bool) -> None:
        self.real, self.count, self.last = real, 0, 0
        os.fsync = self.dying(os.fsync)
        kinds: tuple[Any, ...] = (registry.RegistryKind, registry.RegistryKeyKind)
        for kind in kinds:
            kind.write = self.dying(kind.write)

    def dying(self, act: Any) -> Any:
        def wrapped(*args: Any) -> Any:
            self.tick()
            result = act(*args)
            self.tick()
            return result

        return wrapped

    def tick(self) -> None:
        self.count += 1
        if self.count == self.last and self.real:
            os._exit(9)
        if self.count == self.last:
            raise Killed


def apply(store: Store) -> None:
    with store.begin("test") as transaction:
        for hive in HIVES:
            for change in changes(hive):
                transaction.apply(change)


def sweep(folder: Path) -> dict[str, Any]:
    """Kill at every moment and take back; return the moments that did not come back whole."""
    prepare()
    before, wrong, clock = snapshot(), [], Clock(real=False)
    for last in range(1, 2000):
        store = Store(folder / str(last))
        clock.count, clock.last = 0, last
        try:
            apply(store)
            done = True
        except Killed:
            done = False
        clock.last = 0
        results = undo(Store(folder / str(last)))
        if snapshot() != before or not set(results) <= {"restored", "already"}:
            wrong.append([last, results])
        if done:
            return {"moments": last - 1, "wrong": wrong, "results": results}
    raise AssertionError("it never ends")


def snapshot() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for hive in HIVES:
        walk(hive, KEY, found)
    return found


def walk(hive: str, path: str, found: dict[str, Any]) -> None:
    with winreg.OpenKey(HIVES[hive], path, 0, winreg.KEY_READ | winreg.KEY_WOW64_64KEY) as key:
        keys, values, _ = winreg.QueryInfoKey(key)
        names = [winreg.EnumValue(key, number)[0] for number in range(values)]
        found[f"{hive}\\{path}"] = {
            name: (number, data.hex())
            for name in sorted(names)
            for number, data in [registry._raw(key, name)]
        }
        for child in [winreg.EnumKey(key, number) for number in range(keys)]:
            walk(hive, f"{path}\\{child}", found)


def clean(hive: str, path: str) -> None:
    try:
        with winreg.OpenKey(HIVES[hive], path, 0, winreg.KEY_READ | winreg.KEY_WOW64_64KEY) as key:
            children = [winreg.EnumKey(key, number) for number in range(winreg.QueryInfoKey(key)[0])]
    except FileNotFoundError:
        return
    for child in children:
        clean(hive, f"{path}\\{child}")
    winreg.DeleteKeyEx(HIVES[hive], path, winreg.KEY_WOW64_64KEY, 0)


def undo(store: Store) -> list[str]:
    return [outcome.result for record in store.records() for outcome in store.undo(record)]


def main(act: str, folder: Path, *words: str) -> int:
    store = Store(folder)
    if act == "apply":
        Clock(real=True).last = int(words[0])
        apply(store)
    elif act == "sweep":
        sys.stdout.write(json.dumps(sweep(folder)))
    elif act == "undo":
        sys.stdout.write(json.dumps({"results": undo(store), "now": snapshot()}))
    elif act == "prepare":
        prepare()
        sys.stdout.write(json.dumps(snapshot()))
    elif act == "read-only":
        path = folder / "只读.txt"
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"old")
        path.chmod(0o444)
        with store.begin("test") as transaction:
            transaction.apply(file_change(path, b"new", store.blobs))
        between = path.read_bytes().decode()
        results = undo(store)
        writable = bool(path.stat().st_mode & 0o222)
        sys.stdout.write(json.dumps([between, path.read_bytes().decode(), writable, results]))
        path.chmod(0o666)
    elif act == "own":
        raw_set("HKCU", "user's", 1, "mine\0".encode("utf-16-le"), f"{KEY}\\new")
    elif act == "clean":
        for hive in HIVES:
            clean(hive, KEY)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:]))
