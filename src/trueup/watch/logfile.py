"""The file of `--log`: lines are added; at a size it is moved aside as FILE.1, the oldest goes."""

from __future__ import annotations

import os
from pathlib import Path

from trueup.values import Message, TrueupError

LARGEST = 10_000_000
KEPT = 3  # beside the one that is written


class LogFile:
    """`write` returns what went wrong, once; then it writes no more, and watching goes on."""

    def __init__(self, path: str, largest: int = LARGEST) -> None:
        self._path, self._largest = Path(path), largest
        try:
            self._file = self._path.open("a", encoding="utf-8", newline="\n")
        except (OSError, ValueError) as error:
            told = Message("watch.log-unwritable", {"path": path, "text": _why(error)})
            raise TrueupError(told, Message("watch.log-unwritable-hint")) from error
        self._stopped = False

    def write(self, line: str) -> Message | None:
        if self._stopped:
            return None
        try:
            if self._file.tell() + len(line) > self._largest and self._file.tell():
                self._turn()
            self._file.write(line + "\n")
            self._file.flush()
        except (OSError, ValueError) as error:
            self._stopped = True
            return Message("watch.log-stopped", {"path": str(self._path), "text": _why(error)})
        return None

    def close(self) -> None:
        if not self._stopped:
            self._file.close()

    def _turn(self) -> None:
        self._file.close()
        for number in range(KEPT, 0, -1):
            older = self._numbered(number)
            younger = self._numbered(number - 1) if number > 1 else self._path
            if younger.exists():
                os.replace(younger, older)  # noqa: PTH105  # replaces on Windows too
        self._file = self._path.open("w", encoding="utf-8", newline="\n")

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")


def _why(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
