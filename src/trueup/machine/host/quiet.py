"""Questions whose failure counts as no: for searches over many places, of which some are closed to this user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.machine.host.base import HostError

if TYPE_CHECKING:
    from trueup.machine.host.base import Host


def quiet_size(host: Host, path: str) -> int | None:
    try:
        return host.size(path)
    except HostError:
        return None


def quiet_list(host: Host, path: str) -> tuple[str, ...]:
    try:
        return host.list_dir(path) or ()
    except HostError:
        return ()


def quiet_real(host: Host, path: str) -> str:
    """Return the path with links followed, or as it is where they cannot be."""
    try:
        return host.real_path(path)
    except HostError:
        return path
