"""environment.yml: Python from conda-forge, everything else as locked, through pip."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.plan.writers.order import Order


def write(order: Order, cuda: Mapping[str, str] | None = None, *, alone: bool = False) -> str:
    """Return the file. `cuda`: packages of conda -> version that bring CUDA in the place of NVIDIA's wheels.

    `alone`: keep the user's other channels out by a word that conda 26.7 takes for a channel of that name, and fails.
    """
    name = order.alignment.packages[0][0]
    rows = [
        f"# {order.title}",
        f"name: {name}",
        "channels:",
        "  - conda-forge",
        *(["  - nodefaults"] if alone else []),
        "dependencies:",
        f"  - python={order.question.python}",
        *(f"  - {package}={version}" for package, version in (cuda or {}).items()),
        "  - pip",
        "  - pip:",
        *(f"      - {json.dumps(pin)}" for pin in pins(order, wheels=not cuda)),
    ]
    return "\n".join(rows) + "\n"


def pins(order: Order, *, wheels: bool = True) -> list[str]:
    """Return exact requirements; pip's own version is conda's business. `wheels`: with those of NVIDIA."""
    return [
        f"{p.name} @ {p.artifact.url}"
        if canonicalize_name(p.name) in order.pinned_elsewhere
        else f"{p.name}=={p.version}"
        for p in order.for_pip(wheels=wheels)
    ]
