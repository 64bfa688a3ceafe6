"""The search: everything that is found once, however many roads lead to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_real
from trueup.machine.pythons.linux import linux_pythons
from trueup.machine.pythons.windows import store_stubs, windows_pythons

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.machine.host import Host
    from trueup.machine.model import Python


@dataclass(frozen=True, slots=True)
class PythonsFound:
    """`stubs`: aliases on Windows that start no Python but open the Store."""

    pythons: tuple[Python, ...]
    stubs: tuple[str, ...]


def read_pythons(host: Host) -> PythonsFound:
    windows = host.platform == "windows"
    found = windows_pythons(host) if windows else linux_pythons(host)
    return PythonsFound(_once(host, found), store_stubs(host) if windows else ())


def _once(host: Host, pythons: Iterable[Python]) -> tuple[Python, ...]:
    seen: dict[str, Python] = {}
    for python in pythons:
        seen.setdefault(_identity(host, python.path or ""), python)
    return tuple(seen.values())


def _identity(host: Host, path: str) -> str:
    return str(path_of(host).normcase(quiet_real(host, path)))
