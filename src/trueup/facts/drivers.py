"""What a driver can run, and which driver a CUDA release needs."""

from __future__ import annotations

import functools
import re

from trueup.facts.model import DriverFloor, Platform
from trueup.facts.store import source, table


@functools.cache
def _floors() -> dict[tuple[str, str], DriverFloor]:
    data = table("drivers")
    return {
        (cuda, os): DriverFloor(cuda, os, minor, full, source(data["sources"], origin, conflict=conflict))
        for cuda, os, minor, full, origin, conflict in data["floors"]["rows"]
    }


def floor(cuda: str, os: Platform) -> DriverFloor | None:
    """Return the least drivers for a CUDA release such as "11.2" or "11.2.1"."""
    return _floors().get((".".join(cuda.split(".")[:2]), os))


def floors() -> tuple[DriverFloor, ...]:
    """Return every row, oldest CUDA first."""
    return tuple(_floors().values())


def branch(driver: str) -> int | None:
    """Return the branch of a driver: 470 for "474.30", which is of the R470 line; None where it is no number."""
    found = re.match(r"\d+", driver)
    if not found:
        return None
    number = int(found[0])
    starts = [row[0] for row in table("drivers")["branches"]["rows"] if row[0] <= number]
    return max(starts, default=number)


def cuda_of(driver: str) -> str | None:
    """Return the newest CUDA that a driver knows; for one newer than the table, the newest of the table."""
    line = branch(driver)
    rows = table("drivers")["branches"]["rows"]
    return next((row[2] for row in rows if row[0] == line), None)
