"""What the hosts of Linux and Windows share: files and programs of this very machine."""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from trueup.machine.host.base import HEAD, HostError, RunResult
from trueup.machine.host.decode import decode
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

TEXT_LIMIT = 4 << 20  # no file that a reader wants is larger
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_ABSENT = (FileNotFoundError, NotADirectoryError)


def unreadable(path: str, error: OSError) -> HostError:
    return HostError(Message("machine.unreadable", {"path": path, "text": error.strerror or str(error)}))


def matching(names: Iterable[str], patterns: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns))


class LocalFiles:
    """Files, volumes and programs, by the standard library."""

    def read_text(self, path: str) -> str | None:
        data = self._read(path, TEXT_LIMIT)
        return None if data is None else decode(data)

    def read_head(self, path: str) -> bytes | None:
        return self._read(path, HEAD)

    def _read(self, path: str, limit: int) -> bytes | None:
        try:
            with open(path, "rb") as file:  # noqa: PTH123  # paths are texts in the host's spelling
                return file.read(limit)
        except _ABSENT:
            return None
        except OSError as error:
            raise unreadable(path, error) from error

    def size(self, path: str) -> int | None:
        try:
            found = os.stat(path)  # noqa: PTH116
        except _ABSENT:
            return None
        except OSError as error:
            raise unreadable(path, error) from error
        return None if os.path.isdir(path) else found.st_size  # noqa: PTH112

    def list_dir(self, path: str) -> tuple[str, ...] | None:
        try:
            return tuple(sorted(os.listdir(path)))  # noqa: PTH208
        except _ABSENT:
            return None
        except OSError as error:
            raise unreadable(path, error) from error

    def match(self, path: str, *patterns: str) -> tuple[str, ...] | None:
        names = self.list_dir(path)
        return None if names is None else matching(names, patterns)

    def real_path(self, path: str) -> str:
        return os.path.realpath(path)

    def disk_free(self, path: str) -> int:
        place = os.path.abspath(path)  # noqa: PTH100
        while not os.path.exists(place):  # noqa: PTH110
            parent = os.path.dirname(place)  # noqa: PTH120
            if parent == place:
                break
            place = parent
        try:
            return shutil.disk_usage(place).free
        except OSError as error:
            raise unreadable(place, error) from error

    def tree_size(self, path: str, most: int) -> int | None:
        """Return the bytes of all files below a folder, links not followed; None beyond `most` entries."""
        total, seen, waiting = 0, 0, [path]
        while waiting:
            folder = waiting.pop()
            try:
                entries = list(os.scandir(folder))
            except _ABSENT:
                continue
            except OSError as error:
                raise unreadable(folder, error) from error
            seen += len(entries)
            if seen > most:
                return None
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                elif not entry.is_symlink():
                    total += entry.stat(follow_symlinks=False).st_size
        return total

    def run(self, argv: Sequence[str], timeout: float) -> RunResult | None:
        try:
            done = subprocess.run(
                list(argv),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=timeout,
                check=False,
                creationflags=_NO_WINDOW,
            )
        except _ABSENT:
            return None
        except subprocess.TimeoutExpired as error:
            raise HostError(Message("machine.timed-out", {"what": argv[0], "seconds": timeout})) from error
        except OSError as error:
            raise unreadable(argv[0], error) from error
        return RunResult(done.returncode, decode(done.stdout), decode(done.stderr))

    def nvml(self) -> Mapping[str, Any]:
        from trueup.machine.nvml import snapshot  # noqa: PLC0415  # pynvml costs time where no card is asked for

        return snapshot()


def this_environment() -> dict[str, str]:
    """Return a copy of the environment; Windows spells names without regard to case."""
    if sys.platform == "win32":
        return {name.upper(): value for name, value in os.environ.items()}
    return dict(os.environ)
