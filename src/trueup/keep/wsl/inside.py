"""WSL seen from inside: what of the Windows driver is there, what is in its way, memory, slow places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trueup.machine.host import HostError
from trueup.machine.host.quiet import quiet_size
from trueup.machine.inventory.memory import read_memory
from trueup.machine.system import kernel_of_wsl
from trueup.values import Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Memory

LIBRARIES: Final = "/usr/lib/wsl/lib"
DPKG: Final = "/var/lib/dpkg/status"
# Packages that carry a Linux driver: NVIDIA, CUDA on WSL User Guide, says to install none of them.
DRIVER = re.compile(
    r"^(?:cuda-drivers|nvidia-driver|nvidia-dkms|nvidia-kernel|libnvidia-compute|libcuda1)(?:-.*)?$"
)
_PACKAGE = re.compile(r"^Package: (\S+)\nStatus: \S+ \S+ installed$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Inside:
    """`version` of WSL. `device`: /dev/dxg. `libcuda`, `smi`: of the Windows driver. `packages`: Linux drivers."""

    distro: str
    version: int
    device: bool
    libcuda: bool
    smi: bool
    packages: tuple[str, ...] | Unknown
    memory: Memory | Unknown
    slow: bool  # the folder is on a disk of Windows


def read_inside(host: Host, folder: str) -> Inside | None:
    """Return how it looks from inside, None where this is no WSL."""
    version = kernel_of_wsl(host)
    if version is None:
        return None
    try:
        memory = read_memory(host)
    except HostError as error:
        memory = Unknown(error.why)
    return Inside(
        distro=host.env.get("WSL_DISTRO_NAME", ""),
        version=version,
        device="dxg" in _names(host, "/dev"),
        libcuda=quiet_size(host, f"{LIBRARIES}/libcuda.so.1") is not None,
        smi=quiet_size(host, f"{LIBRARIES}/nvidia-smi") is not None,
        packages=_drivers(host),
        memory=memory,
        slow=on_windows(folder),
    )


def on_windows(folder: str) -> bool:
    """Tell whether a folder lies on a disk of Windows, as WSL mounts them by default."""
    return re.match(r"/mnt/[a-z](?:/|$)", folder) is not None


def _names(host: Host, folder: str) -> tuple[str, ...]:
    try:
        return host.match(folder, "dxg") or ()
    except HostError:
        return ()


def _drivers(host: Host) -> tuple[str, ...] | Unknown:
    try:
        text = host.read_text(DPKG) or ""
    except HostError as error:
        return Unknown(error.why)
    return tuple(name for name in _PACKAGE.findall(text) if DRIVER.match(name))
