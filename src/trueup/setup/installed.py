"""What install.sh and install.ps1 made, so that `trueup self uninstall` leaves nothing of it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.setup.files import remove_tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NAME: Final = "installed"
OURS: Final = "trueup's launcher"
# CREATE_NO_WINDOW: a console that nobody sees. Without any, `ping` would open a window of its own.
HIDDEN: Final = 0x08000000
_children: list[subprocess.Popen[bytes]] = []  # their input stays open until this process ends


@dataclass(frozen=True, slots=True)
class Installed:
    """`made`: folders that were not there before, the deepest first."""

    tool: Path
    launcher: Path
    made: tuple[Path, ...]

    @property
    def runs_us(self) -> bool:
        """Tell whether this very process runs from it."""
        return Path(sys.prefix).resolve().is_relative_to(self.tool.resolve())


def read(data: Path) -> Installed | None:
    """Return what the installer wrote down in the data folder, None where it was not used."""
    try:
        lines = (data / NAME).read_text("utf-8-sig").splitlines()
    except OSError:
        return None
    pairs = [line.partition("=")[::2] for line in lines]
    found = dict(pairs)
    if not {"tool", "launcher"} <= found.keys():
        return None
    made = tuple(Path(path) for key, path in pairs if key == "made")
    return Installed(Path(found["tool"]), Path(found["launcher"]), made)


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def remove(found: Installed | None, folders: Sequence[Path], keep: Sequence[Path]) -> tuple[Path, ...]:
    """Remove trueup's own folders, then the program itself; return what could not be removed.

    Windows does not let a running program go: there a small script does it once this process has ended.
    """
    later = found is not None and sys.platform == "win32" and found.runs_us
    # The launcher is a script that is being read: without it the user's `cmd` ends with an error.
    kept_whole = (*keep, found.launcher) if found and later else keep
    spared = {path for kept in kept_whole for path in (kept, *kept.parents)}
    for folder in folders:
        _clear(folder, spared, found.tool if found else None)
    left = [path for folder in folders for path in _left(folder, spared, found)]
    if found is None:
        _drop_empty(folders)
        return tuple(left)
    if later:
        _later(found, folders)
        return tuple(left)
    if is_our_launcher(found.launcher):
        found.launcher.unlink(missing_ok=True)
    gone = remove_tree(found.tool)
    _drop_empty((*folders, *found.made))
    return tuple(left if gone else [*left, found.tool])


def is_our_launcher(path: Path) -> bool:
    try:
        return OURS in path.read_text("utf-8", errors="replace")
    except OSError:
        return False


def _clear(folder: Path, spared: set[Path], tool: Path | None) -> None:
    for path in _entries(folder):
        if path == tool:
            continue
        if path in spared:
            if any(other.parent == path for other in spared):
                _clear(path, spared, tool)
        elif path.is_dir() and not path.is_symlink():
            remove_tree(path)
        else:
            with suppress(OSError):
                path.unlink()


def _left(folder: Path, spared: set[Path], found: Installed | None) -> Iterator[Path]:
    for path in _entries(folder):
        is_program = found is not None and (path == found.tool or path in found.launcher.parents)
        if path not in spared and not is_program:
            yield path


def _drop_empty(folders: Iterable[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _later(found: Installed, folders: Sequence[Path]) -> None:
    """Leave a script that waits for this process to end, removes the program and then itself.

    Paths come to it as variables: a code page, a `%` or a `&` in them means nothing there.
    """
    script = Path(tempfile.gettempdir()) / f"trueup-uninstall-{os.getpid()}.cmd"
    empty = dict.fromkeys((found.launcher.parent, *folders, *found.made))
    paths = {f"TRUEUP_FOLDER_{number}": str(path) for number, path in enumerate(empty)}
    paths |= {"TRUEUP_TOOL": str(found.tool), "TRUEUP_LAUNCHER": str(found.launcher)}
    lines = [
        "@echo off",
        "set /p TRUEUP_END=",  # ends with us, as we hold the other end of its input
        ":again",
        'if exist "%TRUEUP_TOOL%" rmdir /s /q "%TRUEUP_TOOL%" 2>nul',
        'if not exist "%TRUEUP_TOOL%" goto gone',
        "set /a TRUEUP_TRIES+=1",
        "if %TRUEUP_TRIES% geq 120 goto gone",
        '"%SystemRoot%\\System32\\ping.exe" -n 2 127.0.0.1 >nul',
        "goto again",
        ":gone",
        *(['del "%TRUEUP_LAUNCHER%"'] if is_our_launcher(found.launcher) else []),
        *(f'rmdir "%TRUEUP_FOLDER_{number}%" 2>nul' for number in range(len(empty))),
        f"del {script.name}",
    ]
    script.write_bytes("\r\n".join(lines).encode("ascii"))
    shell = os.environ.get("COMSPEC") or "cmd"
    _children.append(
        subprocess.Popen(
            [shell, "/d", "/e:on", "/v:off", "/c", f".\\{script.name}"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            cwd=script.parent, env={**os.environ, **paths, "TRUEUP_TRIES": "0"}, creationflags=HIDDEN,
        )
    )  # fmt: skip
