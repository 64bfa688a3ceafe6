"""This process' own memory: how much, how much at most, and an end before the machine would swap."""

import os
import sys
import threading
import time
from typing import Callable, Optional

MB = 1e6
PAUSE = 0.05
ROOM = 1.25  # of the cap, for the hard limit: what is kept apart for threads and code is not the network's


def resident() -> Optional[float]:
    """Return bytes of this process that are in memory now; None where the system does not say."""
    if sys.platform == "win32":
        return _windows("WorkingSetSize")
    try:
        with open("/proc/self/statm") as file:
            return float(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def peak() -> Optional[float]:
    """Return the most bytes of this process that ever were in memory."""
    if sys.platform == "win32":
        return _windows("PeakWorkingSetSize")
    import resource

    most = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return most if sys.platform == "darwin" else most * 1024


def bound(megabytes: float, over: Callable[[], None]) -> None:
    """Call `over` once this process took so much more than now; on Linux an allocation far beyond it fails."""
    base = resident()
    if base is None:
        return
    _hard(ROOM * megabytes * MB)
    threading.Thread(target=_watch, args=(base + megabytes * MB, over), daemon=True).start()


def _watch(most: float, over: Callable[[], None]) -> None:
    while (resident() or 0.0) < most:
        time.sleep(PAUSE)
    over()


def _hard(more: float) -> None:
    if sys.platform != "linux":
        return
    import resource

    try:
        with open("/proc/self/status") as file:
            data = next(float(line.split()[1]) * 1024 for line in file if line.startswith("VmData:"))
        resource.setrlimit(resource.RLIMIT_DATA, (int(data + more), resource.RLIM_INFINITY))
    except (OSError, ValueError, StopIteration):  # a system that has no such limit: the watch remains
        return


def _windows(name: str) -> Optional[float]:
    if sys.platform != "win32":
        return None
    import ctypes

    size = ctypes.c_size_t
    names = ("PeakWorkingSetSize", "WorkingSetSize", "a", "b", "c", "d", "PagefileUsage", "PeakPagefileUsage")
    fields = [("cb", ctypes.c_ulong), ("PageFaultCount", ctypes.c_ulong), *((each, size) for each in names)]
    counters = type("Counters", (ctypes.Structure,), {"_fields_": fields})()
    counters.cb = ctypes.sizeof(counters)
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    ask = kernel.K32GetProcessMemoryInfo
    ask.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong]
    kernel.GetCurrentProcess.restype = ctypes.c_void_p
    done = ask(kernel.GetCurrentProcess(), ctypes.byref(counters), counters.cb)
    return float(getattr(counters, name)) if done else None
