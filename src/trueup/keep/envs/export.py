"""Files that rebuild an environment elsewhere: no prefix, no build noise, nothing that only this disk has."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.envs.content import CondaRow, Content, PipRow

_NOT_IN_NAMES: Final = re.compile(r"[/ :#]+")  # conda refuses a name with these
# conda's own, or made by the installation itself
_TOOLS: Final = ("pip", "setuptools", "wheel")


def environment_yml(name: str, content: Content, python: str | None = None) -> str:
    """Return the file for conda, mamba and micromamba. `python`: of an environment that conda did not make."""
    channels = channels_of(content.conda)
    rows = [f"name: {json.dumps(_NOT_IN_NAMES.sub('-', name), ensure_ascii=False)}", "channels:"]
    rows += [
        f"  - {json.dumps(channel) if ':' in channel else channel}" for channel in channels or ["conda-forge"]
    ]
    rows.append("dependencies:")
    rows += [f"  - python={python}"] if python else []
    rows += [f"  - {json.dumps(spec)}" for spec in conda_specs(content.conda)]
    pip = list(requirements(content))
    if pip:
        if not any(row.name == "pip" for row in content.conda):
            rows.append("  - pip")
        rows += ["  - pip:", *(f"      - {json.dumps(one)}" for one in pip)]
    return "\n".join(rows) + "\n"


def channels_of(conda: tuple[CondaRow, ...]) -> list[str]:
    """Return the channels, the one that serves most first; then the others name themselves at each package."""
    counted = Counter(row.channel for row in conda if row.channel is not None)
    return [channel for channel, _ in counted.most_common()]


def conda_specs(conda: tuple[CondaRow, ...]) -> Iterator[str]:
    """Yield a spec a package. Of the build only what chooses a variant is kept: for CUDA, or for the processor."""
    first = next(iter(channels_of(conda)), None)
    for row in sorted(conda, key=lambda one: one.name):
        if row.channel is None:
            continue
        channel = "" if row.channel == first else f"{row.channel}::"
        if row.whole:
            yield f"{channel}{row.name} =={row.version} {row.variant}"
        elif row.variant:  # the form with two "=" takes no star in a strict reader
            yield f"{channel}{row.name} =={row.version} *{row.variant}*"
        else:
            yield f"{channel}{row.name}={row.version}"


def requirements(content: Content) -> Iterator[str]:
    """Yield what pip installed and can get again."""
    for row in sorted(content.pip, key=lambda one: one.name):
        if row.origin not in ("local", "editable") and canonicalize_name(row.name) not in _TOOLS:
            yield row.requirement


def requirements_txt(content: Content) -> str:
    return "".join(f"{line}\n" for line in requirements(content))


def from_index(content: Content) -> tuple[PipRow, ...]:
    """Return the rows that an index serves, of which hashes can be had."""
    return tuple(
        row for row in content.pip if row.origin == "index" and canonicalize_name(row.name) not in _TOOLS
    )
