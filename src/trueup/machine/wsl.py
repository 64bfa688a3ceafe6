"""WSL as Windows sees it: the registry first, then `wsl.exe`, which speaks UTF-16 in the user's language."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.model import Wsl
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host

DISTROS = "HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Lxss"
PACKAGE = "HKLM\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Lxss\\MSI"
TIMEOUT = 8.0
_NUMBER = re.compile(r"(\d+(?:\.\d+){2,}(?:-\d+)?)")
HELPERS = (
    *("docker-desktop", "docker-desktop-data", "rancher-desktop", "rancher-desktop-data"),
    "podman-machine-default",
)


def read_wsl(host: Host) -> Wsl | Unknown | None:
    """Return None where WSL is not installed. `wsl.exe` alone is no sign: Windows ships a stub that installs it."""
    found = host.registry_values(DISTROS)
    rows = [row for key in host.registry_keys(DISTROS) or () if (row := _distro(host, key))]
    if not rows and host.registry_values(PACKAGE) is None:
        return None
    default = str((found or {}).get("DefaultDistribution", ""))
    versions = {guid: version for guid, _, version in rows}
    users = [row for row in rows if row[1] not in HELPERS]
    version: int | Unknown = Unknown(Message("machine.no-distro"))
    if users:
        own = {guid for guid, _, _ in users}
        version = versions[default] if default in own else max(version for _, _, version in users)
    return Wsl(version, tuple(name for _, name, _ in users), _kernel(host))


def _distro(host: Host, key: str) -> tuple[str, str, int] | None:
    values = host.registry_values(f"{DISTROS}\\{key}") or {}
    name, version = values.get("DistributionName"), values.get("Version", 1)
    return (key, name, version) if isinstance(name, str) and isinstance(version, int) else None


def _kernel(host: Host) -> str | Unknown:
    root = host.env.get("SYSTEMROOT", "C:\\Windows")
    try:
        result = host.run([path_of(host).join(root, "System32", "wsl.exe"), "--version"], TIMEOUT)
    except HostError as error:
        return Unknown(error.why)
    found = parse_versions(result.out) if result is not None and result.code == 0 else ()
    return found[1] if len(found) > 1 else Unknown(Message("machine.wsl-too-old-to-say"))


def parse_versions(text: str) -> tuple[str, ...]:
    """Return the numbers of `wsl --version`: WSL, kernel, WSLg … Labels are translated, their order is not."""
    return tuple(found[1] for line in text.splitlines() if (found := _NUMBER.search(line)))
