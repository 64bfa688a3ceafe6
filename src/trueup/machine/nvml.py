"""The gateway to the NVIDIA management library: raw answers as plain data, each failure with its own code.

`snapshot()` returns `{"error": E}` where the library is missing or does not start, else
`{"driver": V, "cuda": V, "library": V, "devices": [D, ...]}` with
`D = {"name": V, "capability": V, "memory": V, "pci": V, "model": V, "mig": V, "slices": V, "uuid": V, "free": V,
"mode": V}`; recordings made by older versions lack the last four. Every `V` is a value or `{"error": E}`, and
`E = {"code": NVML's number, "text": NVML's words}`. Memory is in bytes.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LIBRARY_NOT_FOUND = 12
NO_PERMISSION = 4
DRIVER_NOT_LOADED = 9
LIB_RM_VERSION_MISMATCH = 18
FUNCTION_NOT_FOUND = 13
NOT_SUPPORTED = 3
GPU_IS_LOST = 15


def snapshot() -> Mapping[str, Any]:
    """Ask the library once for everything. The caller brings the time-out."""
    if not load_library():
        return {"error": {"code": LIBRARY_NOT_FOUND, "text": "NVML Shared Library Not Found"}}
    import pynvml  # noqa: PLC0415  # 0.1 s that only a machine with the library pays

    nvml: Any = pynvml
    try:
        nvml.nvmlInit()
    except nvml.NVMLError as error:
        return _error(error)
    try:
        return {
            "driver": _ask(nvml, nvml.nvmlSystemGetDriverVersion),
            "cuda": _ask(nvml, nvml.nvmlSystemGetCudaDriverVersion_v2),
            "library": _ask(nvml, nvml.nvmlSystemGetNVMLVersion),
            "devices": _devices(nvml),
        }
    finally:
        _ask(nvml, nvml.nvmlShutdown)


def load_library() -> bool:
    """Load the library; WSL keeps it where the loader's own search may miss it, old drivers in NVSMI."""
    windows = (
        os.path.join(os.environ.get("WINDIR", "C:\\Windows"), "System32", "nvml.dll"),  # noqa: PTH118
        os.path.join(os.environ.get("PROGRAMFILES", ""), "NVIDIA Corporation", "NVSMI", "nvml.dll"),  # noqa: PTH118
    )
    linux = ("libnvidia-ml.so.1", "/usr/lib/wsl/lib/libnvidia-ml.so.1")
    for place in windows if sys.platform == "win32" else linux:
        try:
            ctypes.CDLL(place)
        except OSError:
            continue
        return True
    return False


def _devices(nvml: Any) -> Any:
    count = _ask(nvml, nvml.nvmlDeviceGetCount)
    return [_device(nvml, index) for index in range(count)] if isinstance(count, int) else count


def _device(nvml: Any, index: int) -> Mapping[str, Any]:
    try:
        handle = nvml.nvmlDeviceGetHandleByIndex(index)
    except nvml.NVMLError as error:
        return _error(error)
    return {
        "name": _ask(nvml, nvml.nvmlDeviceGetName, handle),
        "capability": _ask(nvml, nvml.nvmlDeviceGetCudaComputeCapability, handle),
        "memory": _ask(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle).total),
        "pci": _ask(nvml, lambda: nvml.nvmlDeviceGetPciInfo(handle).pciDeviceId),
        "model": _ask(nvml, nvml.nvmlDeviceGetCurrentDriverModel, handle),
        "mig": _ask(nvml, lambda: nvml.nvmlDeviceGetMigMode(handle)[0]),
        "slices": _ask(nvml, lambda: _slices(nvml, handle)),
        "uuid": _ask(nvml, nvml.nvmlDeviceGetUUID, handle),
        "free": _ask(nvml, lambda: nvml.nvmlDeviceGetMemoryInfo(handle).free),
        "mode": _ask(nvml, nvml.nvmlDeviceGetComputeMode, handle),
    }


def _slices(nvml: Any, handle: Any) -> int:
    """Count the slices that were made: a card in MIG mode without one shows CUDA nothing."""
    places = range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle))
    found = (_ask(nvml, nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, place) for place in places)
    return sum(not isinstance(one, dict) for one in found)


def _ask(nvml: Any, question: Callable[..., Any], *args: Any) -> Any:
    try:
        answer = question(*args)
    except nvml.NVMLError as error:
        return _error(error)
    if isinstance(answer, bytes):
        return answer.decode("utf-8", "backslashreplace")
    return list(answer) if isinstance(answer, tuple) else answer


def _error(error: Any) -> Mapping[str, Any]:
    return {"error": {"code": error.value, "text": str(error)}}
