"""`.vscode/settings.json`: the editor, its terminal and its notebooks use the environment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.plan.writers.order import Order


def write(order: Order) -> str:
    inside = "Scripts/python.exe" if order.windows else "bin/python"
    settings = {
        "python.defaultInterpreterPath": f"${{workspaceFolder}}/.venv/{inside}",
        "python.terminal.activateEnvironment": True,
    }
    return json.dumps(settings, indent=2) + "\n"
