"""Files for those who build without trueup. Each writer is a pure function from an order to a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trueup.plan.writers import (
    check_env,
    conda,
    docker,
    pixi,
    powershell,
    requirements,
    shell,
    vscode,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.plan.writers.order import Order

# `pylock` is the lock itself.
WRITERS: Final[dict[str, Callable[[Order], str]]] = {
    "pylock": lambda order: order.lock.text,
    "requirements": requirements.write,
    "conda": conda.write,
    "pixi": pixi.write,
    "docker": docker.write,
    "powershell": powershell.write,
    "shell": shell.write,
    "vscode": vscode.write,
    "check-env": check_env.write,
}
