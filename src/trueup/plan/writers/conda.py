"""environment.yml: Python from conda-forge, everything else as locked, through pip."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from trueup.plan.writers.order import Order


def write(order: Order) -> str:
    name = order.alignment.packages[0][0]
    rows = [
        f"# {order.title}",
        f"name: {name}",
        "channels:",
        "  - conda-forge",
        "  - nodefaults",
        "dependencies:",
        f"  - python={order.question.python}",
        "  - pip",
        "  - pip:",
        *(f"      - {json.dumps(pin)}" for pin in pins(order)),
    ]
    return "\n".join(rows) + "\n"


def pins(order: Order) -> list[str]:
    """Return exact requirements; pip's own version is conda's business."""
    packages = [package for package in order.lock.packages if package.name != "pip"]
    return [
        f"{p.name} @ {p.artifact.url}"
        if canonicalize_name(p.name) in order.pinned_elsewhere
        else f"{p.name}=={p.version}"
        for p in packages
    ]
