"""Wheel tags in trueup's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from packaging.tags import Tag

LEGACY_GLIBC = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}
WINDOWS = {"win_amd64": "x86_64", "win32": "x86", "win_arm64": "aarch64"}


class Target(NamedTuple):
    """Where a wheel installs. `platform` is None for any; `abi3` is the least Python of a stable-ABI wheel."""

    platform: str | None
    arch: str | None
    glibc: str | None
    pythons: tuple[str, ...]
    abi3: str | None


def target(tags: Iterable[Tag]) -> Target:
    """Return the target of a wheel's tags; a wheel of several tags takes the weakest demand."""
    platforms, archs, libcs = set(), set(), set()
    pythons: set[tuple[int, int]] = set()
    stable: set[tuple[int, int]] = set()
    for tag in tags:
        platform, arch, glibc = _platform(tag.platform)
        platforms.add(platform)
        archs.add(arch)
        libcs.add(glibc)
        if found := re.fullmatch(r"cp(\d)(\d+)", tag.interpreter):
            (stable if tag.abi == "abi3" else pythons).add((int(found[1]), int(found[2])))
    known = [glibc for glibc in libcs if glibc]
    return Target(
        platforms.pop() if len(platforms) == 1 else None,
        archs.pop() if len(archs) == 1 else None,
        _dotted(min(known)) if known else None,
        tuple(_dotted(p) for p in sorted(pythons)),
        _dotted(min(stable)) if stable else None,
    )


def _dotted(pair: tuple[int, int]) -> str:
    return f"{pair[0]}.{pair[1]}"


def _platform(tag: str) -> tuple[str | None, str | None, tuple[int, int] | None]:
    if tag in WINDOWS:
        return "windows", WINDOWS[tag], None
    if found := re.fullmatch(r"manylinux_(\d+)_(\d+)_(\w+)", tag):
        return "linux", found[3], (int(found[1]), int(found[2]))
    if found := re.fullmatch(r"(manylinux1|manylinux2010|manylinux2014|linux|musllinux_\d+_\d+)_(\w+)", tag):
        return "linux", found[2], LEGACY_GLIBC.get(found[1])
    if found := re.fullmatch(r"macosx_\d+_\d+_(\w+)", tag):
        return "macos", found[1], None
    return None, None, None
