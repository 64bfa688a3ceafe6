"""Runs a child that may crash or hang, hears its answers, and ends it when it stays silent too long."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psutil

from trueup.proof.answers import NotAnAnswer, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from trueup.proof.model import Phase, Timeouts

PAUSE = 0.1  # seconds between two looks at the channel
LINES, LINE, TAIL = 15, 500, 65536
JOIN = 5.0  # seconds to wait for the last of the noise
# The reason for a fallback is in the framework's own log, which a user may have switched off.
ENVIRONMENT = {
    "PYTHONUNBUFFERED": "1",
    "PYTHONFAULTHANDLER": "1",
    "PYTHONIOENCODING": "utf-8:backslashreplace",
    "TF_CPP_MIN_LOG_LEVEL": "0",
}

# AutoGraph writes the code it makes beside other temporary files; here it goes away with the proof's folder.
SCRATCH = ("TMPDIR", "TEMP", "TMP")


@dataclass(frozen=True, slots=True)
class Ending:
    """How the child ended. `status` is the exit status; None: it was ended, or never began.

    `silent_for` is the time-out in seconds that it met, `garbage` a line that is no answer.
    """

    status: int | None
    phase: Phase
    seconds: float
    last_lines: tuple[str, ...] = ()
    silent_for: float | None = None
    garbage: str | None = None
    no_start: str | None = None


def watch(
    command: Sequence[str], folder: Path, limits: Timeouts, on_answer: Callable[[dict[str, Any]], None]
) -> Ending:
    """Run a child whose channel is `folder/answers`; of what it prints the end is kept."""
    begin = time.monotonic()
    try:
        child = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={**os.environ, **ENVIRONMENT, **dict.fromkeys(SCRATCH, str(folder))},
        )
    except OSError as error:
        return Ending(None, "start", 0.0, no_start=str(error))
    noise = Noise(child)
    try:
        phase, silent_for, garbage = _follow(child, folder / "answers", limits, on_answer)
    finally:
        end(child)
    ended_by_us = silent_for is not None or garbage is not None
    return Ending(
        status=None if ended_by_us else child.returncode,
        phase=phase,
        seconds=time.monotonic() - begin,
        last_lines=noise.last_lines(),
        silent_for=silent_for,
        garbage=garbage,
    )


def _follow(
    child: subprocess.Popen[bytes],
    channel: Path,
    limits: Timeouts,
    on_answer: Callable[[dict[str, Any]], None],
) -> tuple[Phase, float | None, str | None]:
    phase: Phase = "start"
    heard = time.monotonic()
    lines = _new_lines(channel)
    while True:
        over = _wait(child)  # before the last look: what was written until the end is read
        for line in next(lines):
            try:
                answer = read(line)
            except NotAnAnswer:
                return phase, None, line[:LINE]
            heard, phase = time.monotonic(), answer.get("phase", phase)
            on_answer(answer)
        if over:
            return phase, None, None
        if time.monotonic() - heard > limits.of(phase):
            return phase, limits.of(phase), None


def _wait(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(PAUSE)
    except subprocess.TimeoutExpired:
        return False
    return True


def _new_lines(channel: Path) -> Iterator[list[str]]:
    """Yield, each time, the whole lines that were added since the last."""
    place, rest = 0, b""
    while True:
        added = b""
        if channel.exists():
            with channel.open("rb") as file:
                file.seek(place)
                added = file.read()
        place += len(added)
        *lines, rest = (rest + added).split(b"\n")
        yield [line.decode("utf-8", "replace").strip() for line in lines]


def end(child: subprocess.Popen[bytes]) -> None:
    """End the child with all that it started: on Windows a venv's python.exe starts the real one."""
    if child.poll() is not None:
        return
    try:
        family = psutil.Process(child.pid).children(recursive=True)
    except psutil.Error:
        family = []
    child.kill()
    for member in family:
        with contextlib.suppress(psutil.Error):  # it may have ended with its parent
            member.kill()
    child.wait()
    psutil.wait_procs(family, timeout=10)  # Windows gives their files back only then


class Noise:
    """The end of what a child prints, read as it comes: a full pipe would stop the child."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self._end = b""
        self._thread = threading.Thread(target=self._read, args=(child,), daemon=True)
        self._thread.start()

    def _read(self, child: subprocess.Popen[bytes]) -> None:
        if child.stdout is None:
            return
        with child.stdout as pipe:
            while chunk := os.read(pipe.fileno(), TAIL):
                self._end = (self._end + chunk)[-TAIL:]

    def last_lines(self) -> tuple[str, ...]:
        self._thread.join(JOIN)  # what the child started and left behind may hold the pipe for ever
        return last_lines(self._end)


def last_lines(noise: bytes) -> tuple[str, ...]:
    lines = noise.decode("utf-8", "replace").splitlines()
    return tuple(line.rstrip()[:LINE] for line in lines if line.strip())[-LINES:]


def name_of(status: int) -> str:
    """Return a name for how a process ended: a signal's, an NTSTATUS as Windows writes it, or the number."""
    if status < 0:
        try:
            return signal.Signals(-status).name
        except ValueError:
            return f"signal {-status}"
    return f"0x{status:08X}" if status >= 0x8000_0000 else f"exit status {status}"
