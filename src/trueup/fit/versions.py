"""Versions as PEP 440 knows them, parsed once: a solve compares the same few hundred again and again."""

from __future__ import annotations

import re
from functools import lru_cache

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version


@lru_cache(maxsize=8192)
def version(text: str) -> Version:
    return Version(text)


@lru_cache(maxsize=8192)
def number(text: str) -> Version | None:
    """Return the leading version of a text such as a driver's or a kernel's, None where there is none."""
    found = re.match(r"\s*v?(\d+(?:\.\d+)*)", text)
    try:
        return Version(found[1]) if found else None
    except InvalidVersion:
        return None


@lru_cache(maxsize=4096)
def capability(text: str) -> tuple[int, int]:
    """Return "8.6" as (8, 6). Capabilities are pairs: 12.0 is newer than 9.0, 8.10 would be newer than 8.9."""
    major, _, minor = text.partition(".")
    return int(major), int(re.sub(r"\D", "", minor) or 0)


@lru_cache(maxsize=65536)
def accepts(specifier: str, text: str) -> bool:
    """Say whether a specifier takes a version. Pre-releases count: some projects have nothing else."""
    return _parsed(specifier).contains(text, prereleases=True)


@lru_cache(maxsize=4096)
def _parsed(specifier: str) -> SpecifierSet:
    return SpecifierSet(specifier)


@lru_cache(maxsize=4096)
def overlap(one: str, other: str) -> bool:
    """Say whether some version satisfies both. Only the bounds and their neighbours can decide it."""
    if not one or not other:
        return True
    probes = {probe for part in (*_parsed(one), *_parsed(other)) for probe in _neighbours(part.version)}
    return any(accepts(one, probe) and accepts(other, probe) for probe in probes)


def _neighbours(bound: str) -> tuple[str, ...]:
    base = Version(bound.removesuffix(".*")).release
    padded = (*base, 0, 0, 0)[:4]
    near = [".".join(map(str, base)), "0", "99999"]
    for place in range(len(padded)):
        for step in (-1, 1):
            moved = [*padded[: place + 1]]
            moved[place] += step
            if moved[place] >= 0:
                near.append(".".join(map(str, moved)))
    near.append(".".join(map(str, [*base, 1])))
    if any(padded):  # just below the bound
        last = max(index for index, part in enumerate(padded) if part)
        below = [*padded[:last], padded[last] - 1, 99999]
        near.append(".".join(map(str, below)))
    return tuple(near)


def python_takes(specifier: str, minor: str) -> str | None:
    """Return what to ask for of Python "3.9" under a specifier: the minor, one exact release, or None.

    `>=3.9` leaves the patch open; `==3.9.13` names one.
    """
    if not specifier or accepts(specifier, minor) or accepts(specifier, f"{minor}.99"):
        return minor
    exact = (part.version for part in _parsed(specifier) if not part.version.endswith(".*"))
    fitting = [text for text in exact if text.startswith(f"{minor}.") and accepts(specifier, text)]
    return fitting[0] if fitting else None
