"""The one gateway to uv: finds it, runs it with a time-out, streams what it says, explains how it failed."""

from __future__ import annotations

import contextlib
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Final

from uv import find_uv_bin

from trueup.setup import config
from trueup.setup.errors import SetupError
from trueup.setup.failures import by_way_of, explain
from trueup.setup.holding import named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

TICK_S: Final = 0.2
NO_WINDOW: Final[int] = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows only
COMMON: Final = ("--no-progress", "--color", "never", "--preview-features", "pylock")


def _nothing(*_: object) -> None:
    """Take no notice."""


@dataclass(frozen=True, slots=True)
class Watch:
    """What a caller wants to see of a run: its process id, each line of talk, and a tick five times a second."""

    started: Callable[[int], None] = _nothing
    line: Callable[[str], None] = _nothing
    tick: Callable[[], None] = _nothing


@dataclass(frozen=True, slots=True)
class Uv:
    """A found uv and the environment that it runs with."""

    exe: str
    env: Mapping[str, str] = field(repr=False)

    def run(
        self,
        args: Sequence[str],
        *,
        timeout: float,
        cwd: Path | None = None,
        http_timeout: int = 30,
        watch: Watch | None = None,
    ) -> str:
        """Run uv and return its standard output. `timeout` is in seconds. Raises SetupError."""
        try:
            return self._run(args, timeout, cwd, http_timeout, watch or Watch())
        except SetupError as error:
            if error.kind != "tls" or "UV_SYSTEM_CERTS" in self.env or "UV_NATIVE_TLS" in self.env:
                raise
        # A company's proxy signs with a certificate that only the system's own store knows.
        system = Uv(self.exe, {**self.env, "UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1"})
        return system._run(args, timeout, cwd, http_timeout, watch or Watch())

    def _run(
        self, args: Sequence[str], timeout: float, cwd: Path | None, http_timeout: int, watch: Watch
    ) -> str:
        env = {"UV_HTTP_TIMEOUT": str(http_timeout), **self.env}
        process = subprocess.Popen(
            [self.exe, *args, *COMMON],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace", env=env, cwd=cwd or tempfile.gettempdir(),
            creationflags=NO_WINDOW,
        )  # fmt: skip
        with _ended(process):
            watch.started(process.pid)
            out, err = _streams(process, time.monotonic() + timeout, watch)
        if process.returncode:
            raise named(by_way_of(explain(err), self.env))
        return out


@contextlib.contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Leave no child behind, whatever happens in between."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _streams(process: subprocess.Popen[str], deadline: float, watch: Watch) -> tuple[str, str]:
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    out: list[str] = []
    readers = [
        threading.Thread(target=_pump, args=(process.stderr, lines.put), daemon=True),
        threading.Thread(target=_pump, args=(process.stdout, out.append), daemon=True),
    ]
    for reader in readers:
        reader.start()
    err = list(_talk(lines, deadline, watch))
    process.wait(max(1.0, deadline - time.monotonic()))
    for reader in readers:
        reader.join(5)
    return "".join(text for text in out if text), "".join(err)


def _pump(stream: IO[str] | None, put: Callable[[str | None], None]) -> None:
    for line in stream or ():
        put(line)
    put(None)


def _talk(lines: queue.SimpleQueue[str | None], deadline: float, watch: Watch) -> Iterator[str]:
    while True:
        try:
            line = lines.get(timeout=TICK_S)
        except queue.Empty:
            if time.monotonic() > deadline:
                raise SetupError("hang", what="uv", host="-") from None
        else:
            if line is None:
                return
            watch.line(line.rstrip("\n"))
            yield line
        watch.tick()


def find() -> Uv:
    """Return the uv that came with trueup, else the one on PATH."""
    env = dict(os.environ)
    pip = config.pip_settings(env)
    return Uv(_executable(), config.child_environment(env, pip, uv_has_index=config.uv_files_name_index(env)))


def _executable() -> str:
    with contextlib.suppress(FileNotFoundError):
        return find_uv_bin()
    found = shutil.which("uv")
    if not found:
        raise SetupError("no-uv", what="uv")
    return found
