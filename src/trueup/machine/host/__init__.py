"""The only door to the operating system: one Protocol, three hosts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from trueup.machine.host.base import HEAD, Host, HostError, HostPlatform, RegistryValue, RunResult, path_of
from trueup.machine.host.recorded import RecordedHost, Recording

if TYPE_CHECKING:
    from trueup.machine.host.posix import LinuxHost
    from trueup.machine.host.windows import WindowsHost

__all__ = [
    "HEAD",
    "Host",
    "HostError",
    "HostPlatform",
    "RecordedHost",
    "Recording",
    "RegistryValue",
    "RunResult",
    "path_of",
    "this_host",
]


def this_host() -> LinuxHost | WindowsHost:
    """Return the host of the machine that this process runs on."""
    if sys.platform == "win32":
        from trueup.machine.host.windows import WindowsHost  # noqa: PLC0415  # imports winreg

        return WindowsHost()
    from trueup.machine.host.posix import LinuxHost  # noqa: PLC0415

    return LinuxHost()
