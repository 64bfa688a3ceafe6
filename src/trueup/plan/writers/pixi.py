"""pixi.toml: Python from conda-forge, everything else as locked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.plan.lock import Locked
    from trueup.plan.writers.order import Order

PLATFORMS: Final = {
    ("windows", "x86_64"): "win-64",
    ("windows", "aarch64"): "win-arm64",
    ("linux", "x86_64"): "linux-64",
    ("linux", "aarch64"): "linux-aarch64",
}


def write(order: Order, cuda: Mapping[str, str] | None = None) -> str:
    """Return the file. `cuda`: packages of conda -> version that bring CUDA in the place of NVIDIA's wheels."""
    question = order.question
    rows = [
        f"# {order.title}",
        "[workspace]",
        f"name = {json.dumps(order.alignment.packages[0][0])}",
        'channels = ["conda-forge"]',
        f'platforms = ["{PLATFORMS[question.platform, question.arch]}"]',
    ]
    if question.glibc_minor is not None:
        rows += [
            "",
            "[system-requirements]",
            f'libc = {{ family = "glibc", version = "2.{question.glibc_minor}" }}',
        ]
    rows += ["", "[dependencies]", f'python = "{question.python}.*"']
    rows += [f'{package} = "{version}.*"' for package, version in (cuda or {}).items()]
    rows += ['pip = "*"', "", "[pypi-dependencies]"]
    rows += [_row(package, order) for package in order.for_pip(wheels=not cuda)]
    return "\n".join(rows) + "\n"


def _row(package: Locked, order: Order) -> str:
    if canonicalize_name(package.name) in order.pinned_elsewhere:
        return f"{package.name} = {{ url = {json.dumps(package.artifact.url)} }}"
    return f"{package.name} = {json.dumps('==' + package.version)}"
