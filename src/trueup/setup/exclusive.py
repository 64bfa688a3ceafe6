"""One run at a time on an environment. The operating system holds the lock, so a dead run holds nothing."""

from __future__ import annotations

import errno
import json
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import psutil

from trueup.setup.errors import SetupError
from trueup.setup.files import failed
from trueup.setup.journal import now

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# Windows locks bytes, and nobody else may read those: ours lies far behind the text.
WINDOWS_BYTE: Final = 1 << 20
SAME_START_S: Final = 2  # clocks of process tables are rounded


@contextmanager
def exclusive(lock_file: Path, env_dir: Path) -> Iterator[None]:
    """Hold the lock file while the body runs. Raises SetupError `busy` that names the other process."""
    try:
        handle = _held(lock_file, env_dir)
    except OSError as error:
        raise failed(error, lock_file) from error
    try:
        yield
    finally:
        # Unlinked while it is held: who waits for it sees by its number that the name is another file's.
        if sys.platform != "win32":
            lock_file.unlink(missing_ok=True)
        os.close(handle)
        if sys.platform == "win32":
            with suppress(OSError):
                lock_file.unlink()


def check_free(lock_file: Path, env_dir: Path) -> None:
    """Raise SetupError `busy` where another run is at work now; asked before anything is shown or asked."""
    owner = _owner(lock_file)
    if owner.get("pid") != os.getpid() and alive(owner):
        raise _busy(lock_file, env_dir)


def worker(lock_file: Path) -> int | None:
    """Return the number of another process that is at work now; None where there is none."""
    owner = _owner(lock_file)
    return int(owner["pid"]) if alive(owner) and owner["pid"] != os.getpid() else None


def drop(lock_file: Path) -> None:
    """Remove the file of a run that died."""
    owner = _owner(lock_file)
    if owner and not alive(owner):
        with suppress(OSError):
            lock_file.unlink()


def _held(path: Path, env_dir: Path) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        taken = _take(handle, path)
        if taken and _is(handle, path):
            _sign(handle)
            return handle
        os.close(handle)
        if not taken:
            raise _busy(path, env_dir)


def _take(handle: int, path: Path) -> bool:
    """Take the system's lock. Where the file system has none, a living process that signed counts."""
    try:
        if sys.platform == "win32":
            os.lseek(handle, WINDOWS_BYTE, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            return False
        return not alive(_owner(path))
    return True


def _is(handle: int, path: Path) -> bool:
    try:
        return os.fstat(handle).st_ino == path.stat().st_ino
    except FileNotFoundError:
        return False


def _sign(handle: int) -> None:
    text = json.dumps({**identity(os.getpid()), "since": now()}) + "\n"
    os.ftruncate(handle, 0)
    os.lseek(handle, 0, os.SEEK_SET)
    os.write(handle, text.encode())


def _owner(path: Path) -> dict[str, Any]:
    try:
        owner = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def identity(pid: int) -> dict[str, Any]:
    """Return what tells a process from a later one with the same number."""
    with suppress(psutil.Error):
        return {"pid": pid, "created": psutil.Process(pid).create_time()}
    return {"pid": pid}


def alive(who: dict[str, Any]) -> bool:
    """Tell whether just that process still runs."""
    try:
        return bool(abs(psutil.Process(who["pid"]).create_time() - who["created"]) < SAME_START_S)
    except (KeyError, psutil.Error):
        return False


def _busy(path: Path, env_dir: Path) -> SetupError:
    owner = _owner(path)
    return SetupError("busy", path=str(env_dir), pid=owner.get("pid", "?"), since=owner.get("since", "?"))
