"""One step as an administrator: a plan in a file, named by its hash, and a process that does just that.

The plan is shown before Windows asks. The process checks the hash, and that each target is one of the few that
trueup ever changes there; so nobody else's plan can ride on the user's yes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from trueup.setup.changes import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from trueup.setup.changes import Kind

SCHEMA: Final = "trueup.elevated/1"
REFUSED_BY_USER: Final = 1223  # ERROR_CANCELLED
DONE, FAILED, FOREIGN = 0, 1, 2
PATH_OF_ALL: Final = (
    "hklm\\system\\currentcontrolset\\control\\session manager\\environment",
    "path",
)


def needs_admin(change: Change) -> bool:
    """Tell whether only an administrator may make a change."""
    return change.kind in {"registry", "registry-key"} and change.target["key"].upper().startswith("HKLM")


def plan_text(changes: Sequence[Change]) -> str:
    """Return the plan as it is written to the file."""
    return json.dumps({"schema": SCHEMA, "changes": [asdict(one) for one in changes]}, ensure_ascii=False)


def inverse(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return what takes changes back, the last one first."""
    return tuple(
        Change(one.kind, dict(one.target), one.before, one.after) for one in reversed(tuple(changes))
    )


def words(plan: Path, digest: str) -> list[str]:
    """Return the command of the elevated process. It imports from where this one did, and from nowhere else."""
    root = str(Path(__file__).resolve().parents[2])
    code = (
        "import sys; sys.path.append(sys.argv[3]); from trueup.keep.elevate import main;"
        " sys.exit(main(sys.argv[1], sys.argv[2]))"
    )
    return [sys.executable, "-I", "-c", code, str(plan), digest, root]


def allowed() -> frozenset[tuple[str, str]]:
    """Return the values, by key and name in lower case, that a plan may name."""
    from trueup.keep.tune.knowledge import rows  # noqa: PLC0415  # the process that asks needs no data

    ways = [row.registry for row in rows() if row.registry is not None and row.admin]
    named = {
        (way["key"].lower(), name.lower()) for way in ways for name in (way["value"], *way.get("also", ()))
    }
    return frozenset({*named, PATH_OF_ALL})


def fits(change: Change, known: frozenset[tuple[str, str]]) -> bool:
    """Tell whether a plan may hold a change."""
    key = change.target.get("key", "").lower()
    if change.kind == "registry":
        return (key, change.target.get("name", "").lower()) in known
    # the keys that lead to such a value; they are only ever made, or removed while they are empty
    return change.kind == "registry-key" and any(f"{own}\\".startswith(f"{key}\\") for own, _ in known)


def perform(data: bytes, digest: str, kinds: Mapping[str, Kind]) -> int:
    """Make the changes of a plan; stop at the first that finds something else than the plan says."""
    if hashlib.sha256(data).hexdigest() != digest:
        return FOREIGN
    document = json.loads(data)
    changes = [Change(**raw) for raw in document["changes"]]
    known = allowed()
    if document["schema"] != SCHEMA or not all(fits(change, known) for change in changes):
        return FOREIGN
    for change in changes:
        kind = kinds[change.kind]
        present = kind.read(change.target)
        if present == change.after:
            continue
        if present != change.before:
            return FAILED
        try:
            kind.write(change.target, change.after, _NO_BLOBS)
        except FileExistsError:  # a key that others' values lie in: it stays
            continue
        if kind.read(change.target) != change.after:
            return FAILED
    return DONE


_NO_BLOBS: Any = None  # no kind that a plan may name keeps contents beside the journal


def main(plan: str, digest: str) -> int:
    """Run as the elevated process."""
    from trueup.setup.changes.kinds import own_kinds  # noqa: PLC0415

    try:
        return perform(Path(plan).read_bytes(), digest, own_kinds())
    except (OSError, ValueError, KeyError, TypeError):
        return FAILED


def run_elevated(folder: Path, changes: Sequence[Change]) -> Literal["done", "refused", "failed"]:
    """Write the plan, let Windows ask, wait for the end. The plan is removed again."""
    folder.mkdir(parents=True, exist_ok=True)
    plan = folder / f"elevated-{os.getpid()}.json"
    data = plan_text(changes).encode("utf-8")
    plan.write_bytes(data)
    try:
        return _start(words(plan, hashlib.sha256(data).hexdigest()))
    finally:
        plan.unlink(missing_ok=True)


if sys.platform == "win32":
    import ctypes
    from ctypes import wintypes

    _NO_CLOSE, _WAIT = 0x40, 0xFFFFFFFF

    class _Execute(ctypes.Structure):
        """SHELLEXECUTEINFOW."""

        _fields_ = (
            ("size", wintypes.DWORD),
            ("mask", wintypes.ULONG),
            ("window", wintypes.HWND),
            ("verb", wintypes.LPCWSTR),
            ("file", wintypes.LPCWSTR),
            ("parameters", wintypes.LPCWSTR),
            ("directory", wintypes.LPCWSTR),
            ("show", ctypes.c_int),
            ("instance", wintypes.HINSTANCE),
            ("ids", ctypes.c_void_p),
            ("class_name", wintypes.LPCWSTR),
            ("class_key", wintypes.HKEY),
            ("hot_key", wintypes.DWORD),
            ("icon", wintypes.HANDLE),
            ("process", wintypes.HANDLE),
        )

    def is_admin() -> bool:
        """Tell whether this process may write what belongs to all users."""
        return bool(ctypes.WinDLL("shell32").IsUserAnAdmin())

    def _start(command: list[str]) -> Literal["done", "refused", "failed"]:
        shell = ctypes.WinDLL("shell32", use_last_error=True)
        kernel = ctypes.WinDLL("kernel32")
        info = _Execute(
            size=ctypes.sizeof(_Execute),
            mask=_NO_CLOSE,
            verb="runas",
            file=command[0],
            parameters=subprocess.list2cmdline(command[1:]),
            directory=os.path.join(os.environ.get("SYSTEMROOT", "C:\\Windows"), "System32"),  # noqa: PTH118
            show=0,
        )
        if not shell.ShellExecuteExW(ctypes.byref(info)):
            return "refused" if ctypes.get_last_error() == REFUSED_BY_USER else "failed"
        if not info.process:
            return "failed"
        code, process = wintypes.DWORD(FAILED), wintypes.HANDLE(info.process)
        kernel.WaitForSingleObject(process, _WAIT)
        kernel.GetExitCodeProcess(process, ctypes.byref(code))
        kernel.CloseHandle(process)
        return "done" if code.value == DONE else "failed"

else:

    def is_admin() -> bool:
        """Tell whether this process may write what belongs to all users."""
        return os.geteuid() == 0

    def _start(command: list[str]) -> Literal["done", "refused", "failed"]:
        raise NotImplementedError(f"only Windows asks: {command[0]}")
