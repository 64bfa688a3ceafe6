"""Settings of the system that slow, hide or break a card."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.inventory.model import Settings
from trueup.machine.system import kernel_of_wsl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host import Host, RegistryValue

_CONTROL = "HKLM\\SYSTEM\\CurrentControlSet\\Control"
MEMORY = f"{_CONTROL}\\Session Manager\\Memory Management"
GRAPHICS = f"{_CONTROL}\\GraphicsDrivers"
START_UP = f"{_CONTROL}\\Session Manager\\Power"
SCHEMES = f"{_CONTROL}\\Power\\User\\PowerSchemes"
PCIE = "501a4d13-42af-4429-9fd1-a8218c268e20\\ee12f906-d277-404b-b6da-e5fa1a576df5"
MIN_CPU = "54533251-82be-4824-96c1-47b60b740d00\\893dee8e-2bef-41e0-89c6-b55d0929964c"
PLANS = {
    "381b4222-f694-41f0-9685-ff5bb260df2e": "balanced",
    "8c5e7fda-e8bf-4a96-9a85-a6e23a8c635c": "high-performance",
    "a1841308-3541-4fab-bc81-f71556f20b4a": "power-saver",
    "e9a42b02-d5df-448d-aa00-03f14749eb61": "ultimate-performance",
}
_CONTAINERS = {"/.dockerenv": "docker", "/run/.containerenv": "podman"}
_LINUX_LIBCUDA = (
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/aarch64-linux-gnu/libcuda.so.1",
    "/usr/lib64/libcuda.so.1",
)


def read_settings(host: Host) -> Settings:
    return _windows(host) if host.platform == "windows" else _linux(host)


def _windows(host: Host) -> Settings:
    memory, graphics = _values(host, MEMORY), _values(host, GRAPHICS)
    start, schemes = _values(host, START_UP), _values(host, SCHEMES)
    plan = str(schemes.get("ActivePowerScheme", "")).lower()
    length, dead = _path(host, ";")
    return Settings(
        page_file=page_file(memory.get("PagingFiles")),
        tdr_delay=_number(graphics.get("TdrDelay")),
        scheduling=_flag(graphics.get("HwSchMode"), 2),
        fast_startup=_flag(start.get("HiberbootEnabled"), 1),
        power_plan=PLANS.get(plan, plan) or None,
        min_cpu=_number(_values(host, f"{SCHEMES}\\{plan}\\{MIN_CPU}").get("ACSettingIndex")),
        pcie=_number(_values(host, f"{SCHEMES}\\{plan}\\{PCIE}").get("ACSettingIndex")),
        path_length=length,
        path_dead=dead,
        shell="cmd" if "PROMPT" in host.env else "powershell",  # cmd alone sets PROMPT
    )


def page_file(value: RegistryValue | None) -> str | None:
    """Read PagingFiles: the drive "?:" lets Windows choose, an empty list is no page file at all."""
    if value is None:
        return None
    rows = [row for row in (value if isinstance(value, tuple) else (str(value),)) if row.strip()]
    if not rows:
        return "none"
    return (
        "automatic"
        if all(row.startswith("?:") or row.rstrip().endswith(" 0 0") for row in rows)
        else "; ".join(rows)
    )


def _linux(host: Host) -> Settings:
    inside = kernel_of_wsl(host) is not None
    length, dead = _path(host, ":")
    return Settings(
        path_length=length,
        path_dead=dead,
        shell=path_of(host).basename(host.env.get("SHELL", "")) or None,
        container=next(
            (name for path, name in _CONTAINERS.items() if quiet_size(host, path) is not None), None
        ),
        nouveau=bool(quiet_list(host, "/sys/module/nouveau")),
        uvm_device=quiet_size(host, "/dev/nvidia-uvm") is not None,
        dxg_device=quiet_size(host, "/dev/dxg") is not None if inside else None,
        wsl_libcuda=quiet_size(host, "/usr/lib/wsl/lib/libcuda.so.1") is not None if inside else None,
        foreign_libcuda=_foreign(host) if inside else (),
    )


def _foreign(host: Host) -> tuple[str, ...]:
    """Return libcuda files of a Linux driver; a link into WSL's own folder is none."""
    found = []
    for path in _LINUX_LIBCUDA:
        if quiet_size(host, path) is None:
            continue
        try:
            real = host.real_path(path)
        except HostError:
            real = path
        if "/wsl/" not in real:
            found.append(real)
    return tuple(found)


def _path(host: Host, separator: str) -> tuple[int, tuple[str, ...]]:
    text = host.env.get("PATH", "")
    parts = [part.strip('"') for part in text.split(separator) if part]
    return len(text), tuple(part for part in dict.fromkeys(parts) if not _is_folder(host, part))


def _is_folder(host: Host, path: str) -> bool:
    try:
        return host.match(path_of(host).normpath(path), "\0") is not None
    except HostError:
        return True


def _values(host: Host, key: str) -> Mapping[str, RegistryValue]:
    try:
        return host.registry_values(key) or {}
    except HostError:
        return {}


def _number(value: RegistryValue | None) -> int | None:
    return value if isinstance(value, int) else None


def _flag(value: RegistryValue | None, on: int) -> bool | None:
    return None if value is None else value == on
