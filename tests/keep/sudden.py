"""A power cut: a child that dies without warning at its n-th step, whichever that is."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.setup.changes import Transaction

if TYPE_CHECKING:
    from collections.abc import Callable

SIGKILL = 9  # Windows does not name it


def killed(act: Callable[[], object], at: int) -> bool:
    """Run in a child that dies without warning at its n-th step; tell whether it died."""
    if sys.platform == "win32":
        raise SystemExit("forks")
    child = os.fork()
    if child == 0:
        _die(at)
        try:
            act()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -SIGKILL


def _die(at: int) -> None:
    """End this process at its n-th step: before and after a line of the journal, and before a file is moved."""
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1
        if steps == at:
            os.kill(os.getpid(), SIGKILL)

    note, rename, replaced = Transaction.note, Path.rename, Path.replace

    def noted(self: Transaction, event: str, **values: Any) -> None:
        count()
        note(self, event, **values)
        count()

    def renamed(self: Path, target: Any) -> Path:
        count()
        return rename(self, target)

    def put_in_place(self: Path, target: Any) -> Path:
        count()
        return replaced(self, target)

    Transaction.note = noted  # type: ignore[method-assign]
    Path.rename = renamed  # type: ignore[assignment,method-assign]
    Path.replace = put_in_place  # type: ignore[assignment,method-assign]
