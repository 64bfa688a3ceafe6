"""Names of processes, asked once each: a list of a hundred must cost nothing the second time."""

from __future__ import annotations

import psutil

from trueup.values import Message, Unknown

MOST = 4096


class Names:
    """A name is kept until the table is full; then all are asked anew, as pids come back."""

    def __init__(self) -> None:
        self._known: dict[int, str | Unknown] = {}

    def of(self, pid: int) -> str | Unknown:
        if len(self._known) > MOST:
            self._known.clear()
        if pid not in self._known:
            self._known[pid] = _ask(pid)
        return self._known[pid]


def _ask(pid: int) -> str | Unknown:
    try:
        return psutil.Process(pid).name()
    except psutil.NoSuchProcess:  # of another user's container, or gone between two questions
        return Unknown(Message("watch.no-such-process"))
    except (psutil.Error, OSError, OverflowError):
        return Unknown(Message("watch.no-permission"))
