"""How a folder goes aside: under a dated name beside it, or on its way out; never while a program uses it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from trueup.setup import files
from trueup.setup.changes.model import InUse
from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from pathlib import Path


def removing(path: Path) -> Path:
    return path.with_name(f"{path.name}.trueup-removing")


def aside_of(path: Path) -> Path:
    """Return a dated name beside a folder that nothing has yet."""
    stamp = time.strftime("%Y%m%d-%H%M%S")
    aside, number = path.with_name(f"{path.name}.trueup-undone-{stamp}"), 1
    while os.path.lexists(aside):
        number += 1
        aside = path.with_name(f"{path.name}.trueup-undone-{stamp}-{number}")
    return aside


def move(path: Path, goal: Path, using: tuple[str, ...] = ()) -> None:
    """Move a folder that nobody is `using`. Raises InUse and OSError."""
    if using:
        raise InUse(", ".join(using))
    try:
        files.move(path, goal)
    except SetupError as error:
        if error.kind in {"in-use", "held"}:
            raise InUse(str(error.message.params.get("by", error.quote))) from error
        raise OSError(error.quote) from error
