"""Single keys without Enter, on Windows and elsewhere; without a keyboard only time passes."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

STEP = 0.1


@contextmanager
def keys() -> Iterator[Callable[[float], str | None]]:
    """Hand out `pressed(seconds)`: the key that comes within them, or None."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield _sleep
    elif sys.platform == "win32":
        yield _windows
    else:
        with _unbuffered():
            yield _posix


def _sleep(seconds: float) -> str | None:
    time.sleep(seconds)
    return None


def _windows(seconds: float) -> str | None:
    if sys.platform == "win32":
        import msvcrt

        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if msvcrt.kbhit():
                return msvcrt.getwch()
            time.sleep(STEP)
    return None


def _posix(seconds: float) -> str | None:
    import os
    import select

    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    if not ready:
        return None
    typed = os.read(sys.stdin.fileno(), 64)
    # An arrow key begins with Escape too: only a lone one means to leave.
    return None if len(typed) > 1 and typed[:1] == b"\x1b" else typed[:1].decode("ascii", "replace") or "q"


@contextmanager
def _unbuffered() -> Iterator[None]:
    if sys.platform == "win32":
        yield
        return
    import termios
    import tty

    before = termios.tcgetattr(sys.stdin)
    try:
        tty.setcbreak(sys.stdin)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
