"""The operating system under it all: name, build, C library, CPU, disk, long paths, VC++ runtime."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.machine.environment import matters
from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.model import Os, Wsl
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host import Host, RegistryValue

WINDOWS_NT = "HKLM\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion"
FILE_SYSTEM = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\FileSystem"
SESSION = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
_FIRST_WINDOWS_11 = 22000
_LINUX_ARCH = {"amd64": "x86_64", "arm64": "aarch64"}
_WINDOWS_ARCH = {"amd64": "x86_64", "x86_64": "x86_64", "arm64": "arm64", "x86": "x86", "i386": "x86"}


def read_os(host: Host) -> Os:
    if host.platform == "linux":
        return "wsl2" if kernel_of_wsl(host) else "linux"
    return host.platform


def kernel_of_wsl(host: Host) -> int | None:
    """Return 1 or 2 inside WSL, None outside. WSL1 says "-Microsoft", WSL2 "-microsoft-standard-WSL2".

    The file is asked, not uname: a container or a custom kernel may change the one, not the other.
    """
    texts = [_first_line(host, path) for path in ("/proc/sys/kernel/osrelease", "/proc/version")]
    words = " ".join(texts)
    if "microsoft" not in words.lower():
        return 2 if quiet_size(host, "/dev/dxg") is not None and quiet_list(host, "/usr/lib/wsl") else None
    return 1 if re.search(r"-Microsoft\b", words) and "WSL2" not in words else 2


def _first_line(host: Host, path: str) -> str:
    try:
        return (host.read_text(path) or "").partition("\n")[0]
    except HostError:
        return ""


def read_arch(host: Host) -> str | Unknown:
    """Return the machine's own architecture, not that of an emulated interpreter."""
    machine = host.system().get("machine", "")
    if host.platform != "windows":
        return _LINUX_ARCH.get(machine.lower(), machine) or Unknown(Message("machine.not-read"))
    native = (host.registry_values(SESSION) or {}).get("PROCESSOR_ARCHITECTURE", machine)
    return _WINDOWS_ARCH.get(str(native).lower(), str(native))


def read_os_build(host: Host) -> str | Unknown:
    """Return "10.0.22631" of Windows. Elsewhere the kernel and the distribution say it better."""
    if host.platform != "windows":
        return Unknown(Message("machine.not-on-this-system", {"what": "os_build"}))
    return host.system()["release"]


def read_os_name(host: Host) -> str | Unknown:
    if host.platform == "windows":
        return windows_name(host.registry_values(WINDOWS_NT) or {})
    if host.platform == "macos":
        return f"macOS, Darwin {host.system()['release']}"
    text = host.read_text("/etc/os-release") or ""
    found = re.search(r'^PRETTY_NAME="?([^"\n]+)', text, re.MULTILINE)
    return found[1] if found else Unknown(Message("machine.not-read"))


def windows_name(values: Mapping[str, RegistryValue]) -> str:
    """Windows 11 still calls itself "Windows 10" in the registry; the build number tells."""
    name = str(values.get("ProductName", "Windows"))
    build = str(values.get("CurrentBuildNumber", "0"))
    if build.isdigit() and int(build) >= _FIRST_WINDOWS_11:
        name = name.replace("Windows 10", "Windows 11")
    return " ".join(part for part in (name, str(values.get("DisplayVersion", ""))) if part)


def read_libc(host: Host) -> tuple[str, str | Unknown] | Unknown:
    """Return the C library and, for glibc, its version."""
    if host.platform != "linux":
        return Unknown(Message("machine.not-on-this-system", {"what": "libc"}))
    system = host.system()
    if "libc_version" in system:
        return system["libc"], system["libc_version"]
    if any(name.startswith("ld-musl-") for name in host.list_dir("/lib") or ()):
        return "musl", Unknown(Message("machine.not-on-this-system", {"what": "glibc"}))
    return Unknown(Message("machine.not-read"))


def read_kernel(host: Host) -> str | Unknown:
    if host.platform != "linux":
        return Unknown(Message("machine.not-on-this-system", {"what": "kernel"}))
    return _first_line(host, "/proc/sys/kernel/osrelease") or host.system()["release"]


def read_cpu_flags(host: Host) -> tuple[str, ...] | Unknown:
    if host.platform == "windows":
        return host.cpu_features()
    if host.platform == "macos":
        return Unknown(Message("machine.not-on-this-system", {"what": "cpu_flags"}))
    text = host.read_text("/proc/cpuinfo") or ""
    found = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", text, re.MULTILINE)
    return tuple(found[1].split()) if found else Unknown(Message("machine.not-read"))


def read_disk_free_gb(host: Host, folder: str) -> float | Unknown:
    return round(host.disk_free(folder) / 1e9, 1)


def read_long_paths(host: Host) -> bool | Unknown:
    if host.platform != "windows":
        return Unknown(Message("machine.not-on-this-system", {"what": "LongPathsEnabled"}))
    return (host.registry_values(FILE_SYSTEM) or {}).get("LongPathsEnabled") == 1


def read_vc_runtime(host: Host) -> str | Unknown | None:
    if host.platform != "windows":
        return Unknown(Message("machine.not-on-this-system", {"what": "msvcp140.dll"}))
    root = host.env.get("SYSTEMROOT", "C:\\Windows")
    path = path_of(host).join(root, "System32", "msvcp140.dll")
    if host.size(path) is None:
        return None
    return host.file_version(path) or Unknown(Message("machine.no-version-resource", {"path": path}))


def read_environment(host: Host) -> tuple[tuple[str, str], ...]:
    """Return the variables that change what a framework finds."""
    return tuple(sorted((k, v) for k, v in host.env.items() if matters(k)))


def read_wsl_inside(host: Host) -> Wsl | None:
    version = kernel_of_wsl(host)
    if version is None:
        return None
    name = host.env.get("WSL_DISTRO_NAME")
    return Wsl(version, (name,) if name else (), read_kernel(host))
