"""Which wheels a target takes, best first: what pip would find on that machine, computed anywhere."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.utils import InvalidWheelFilename, parse_wheel_filename

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.plan.request import LockRequest

# PEP 600: the older names of some manylinux platforms.
LEGACY: Final = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
LEAST_GLIBC: Final = {"x86_64": 5, "aarch64": 17}
WINDOWS: Final = {"x86_64": "win_amd64", "aarch64": "win_arm64"}


def rank(filename: str, question: LockRequest) -> int | None:
    """Return the place of a wheel among those that the target takes, 0 is best; None: it takes it not."""
    try:
        tags = parse_wheel_filename(filename)[3]
    except InvalidWheelFilename:
        return None
    order = _order(question.python, question.platform, question.arch, question.glibc_minor)
    return min((order[tag] for tag in tags if tag in order), default=None)


@functools.lru_cache(maxsize=8)
def _order(python: str, platform: str, arch: str, glibc_minor: int | None) -> dict[Tag, int]:
    major, minor = (int(part) for part in python.split(".")[:2])
    short = f"cp{major}{minor}"
    abi = f"{short}m" if (major, minor) < (3, 8) else short
    platforms = [WINDOWS[arch]] if platform == "windows" else list(_linux(arch, glibc_minor or 17))
    tags = [
        *cpython_tags((major, minor), abis=[abi], platforms=platforms),
        *compatible_tags((major, minor), interpreter=short, platforms=platforms),
    ]
    return {tag: place for place, tag in reversed(list(enumerate(tags)))}


def _linux(arch: str, glibc_minor: int) -> Iterator[str]:
    for minor in range(glibc_minor, LEAST_GLIBC.get(arch, 17) - 1, -1):
        yield f"manylinux_2_{minor}_{arch}"
        if minor in LEGACY:
            yield f"{LEGACY[minor]}_{arch}"
    yield f"linux_{arch}"
