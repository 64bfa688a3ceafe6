"""Windows: registry, version resources, and what the kernel says of the CPU."""

from __future__ import annotations

import sys

if sys.platform != "win32":
    raise ImportError("this host is Windows only")

import ctypes
import platform
import winreg
from typing import TYPE_CHECKING, Any

from trueup.machine.host.base import HostError
from trueup.machine.host.local import LocalFiles, this_environment, unreadable
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host.base import HostPlatform, RegistryValue

_HIVES = {"HKLM": winreg.HKEY_LOCAL_MACHINE, "HKCU": winreg.HKEY_CURRENT_USER}
_READ = winreg.KEY_READ | winreg.KEY_WOW64_64KEY
_XSTATE_AVX = 0b100
_FEATURES = {
    10: "sse2",
    13: "pni",
    36: "ssse3",
    37: "sse4_1",
    38: "sse4_2",
    39: "avx",
    40: "avx2",
    41: "avx512f",
}
_FEATURES_SINCE = 19041  # older builds answer no to 36 and above, whatever the CPU is


class WindowsHost(LocalFiles):
    """This machine, where it is Windows."""

    def __init__(self) -> None:
        self._env = this_environment()

    @property
    def platform(self) -> HostPlatform:
        return "windows"

    @property
    def env(self) -> Mapping[str, str]:
        return self._env

    def system(self) -> Mapping[str, str]:
        version = sys.getwindowsversion()
        release = f"{version.major}.{version.minor}.{version.build}"
        return {"machine": platform.machine(), "release": release}

    def registry_values(self, key: str) -> Mapping[str, RegistryValue] | None:
        opened = _open(key)
        if opened is None:
            return None
        with opened:
            found = (winreg.EnumValue(opened, n) for n in range(winreg.QueryInfoKey(opened)[1]))
            return {name: value for name, data, _ in found if (value := _plain(data)) is not None}

    def registry_keys(self, key: str) -> tuple[str, ...] | None:
        opened = _open(key)
        if opened is None:
            return None
        with opened:
            return tuple(winreg.EnumKey(opened, n) for n in range(winreg.QueryInfoKey(opened)[0]))

    def file_version(self, path: str) -> str | None:
        if self.size(path) is None:
            return None
        version = ctypes.WinDLL("version", use_last_error=True)
        length = version.GetFileVersionInfoSizeW(path, None)
        if not length:
            return None
        buffer = ctypes.create_string_buffer(length)
        value, size = ctypes.c_void_p(), ctypes.c_uint()
        if not version.GetFileVersionInfoW(path, 0, length, buffer):
            error = ctypes.get_last_error()
            raise HostError(Message("machine.unreadable", {"path": path, "text": ctypes.FormatError(error)}))
        if (
            not version.VerQueryValueW(buffer, "\\", ctypes.byref(value), ctypes.byref(size))
            or not value.value
        ):
            return None
        words = ctypes.cast(value, ctypes.POINTER(ctypes.c_uint32 * 4)).contents
        high, low = words[2], words[3]
        return f"{high >> 16}.{high & 0xFFFF}.{low >> 16}.{low & 0xFFFF}"

    def cpu_features(self) -> tuple[str, ...]:
        kernel = ctypes.WinDLL("kernel32")
        found = [name for number, name in _FEATURES.items() if kernel.IsProcessorFeaturePresent(number)]
        if "avx" not in found and sys.getwindowsversion().build < _FEATURES_SINCE:
            kernel.GetEnabledXStateFeatures.restype = ctypes.c_uint64
            if not kernel.GetEnabledXStateFeatures() & _XSTATE_AVX:
                return tuple(found)
            found.append("avx")
        return tuple(found)

    def memory(self) -> Mapping[str, int]:
        status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
            text = ctypes.FormatError(ctypes.get_last_error())
            raise HostError(Message("machine.unreadable", {"path": "GlobalMemoryStatusEx", "text": text}))
        names = ("total", "available", "commit_limit", "commit_free")
        return {name: int(getattr(status, name)) for name in names}


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX; "PageFile" there means the commit limit: RAM and page files together."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("available", ctypes.c_uint64),
        ("commit_limit", ctypes.c_uint64),
        ("commit_free", ctypes.c_uint64),
        ("total_virtual", ctypes.c_uint64),
        ("available_virtual", ctypes.c_uint64),
        ("available_extended", ctypes.c_uint64),
    )


def _open(key: str) -> Any:
    hive, _, path = key.partition("\\")
    try:
        return winreg.OpenKey(_HIVES[hive], path, 0, _READ)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unreadable(key, error) from error


def _plain(data: Any) -> RegistryValue | None:
    if isinstance(data, (str, int)):
        return data
    if isinstance(data, list):
        return tuple(str(part) for part in data)
    return data.hex() if isinstance(data, bytes) else None
