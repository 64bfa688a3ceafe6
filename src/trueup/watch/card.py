"""One card: each value is asked for on its own; what fails is unknown with NVML's reason."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trueup.values import Message, Unknown
from trueup.watch.model import Gpu, Process, Reading, Slice
from trueup.watch.reasons import names as reason_names

if TYPE_CHECKING:
    from trueup.watch.names import Names

MIB = 1 << 20
MODELS = {0: "WDDM", 1: "TCC", 2: "MCDM"}
# What a value can be at most: beyond, a driver answered nonsense (seen: 0xFFFFFFFF, percentages above 100).
PERCENT, FAN, HOT, WATTS, MHZ, MEMORY, LINK, RATE = 100, 300, 150, 5000, 10_000, 1 << 24, 32, 300_000
NOTHING_NEW = frozenset({0, 6, 21})
ESSENTIAL = frozenset({"nvmlInit", "nvmlDeviceGetCount", "nvmlDeviceGetHandleByIndex"})
# Codes that mean the whole card; others of a single value (a fan's 999) leave the rest readable.
FATAL = frozenset({1, 9, 15, 16, 18, 28})
SOFT = 3  # values that may fail otherwise before the card counts as failed
WHY = {3: "not-supported", 4: "no-permission", 13: "no-function"}


class Asked:
    """Asks the library; `failed` keeps the first failure that concerns more than one value."""

    def __init__(self, nvml: Any) -> None:
        self.nvml = nvml
        self.failed: tuple[int, str] | None = None
        self._soft = 0

    def value(self, function: str, *args: Any) -> Any:
        """Return the answer, or `Unknown` with the library's reason."""
        try:
            return getattr(self.nvml, function)(*args)
        except self.nvml.NVMLError as error:
            code, text = int(error.value), str(error)
        except UnicodeDecodeError:  # a long name that the driver cut within a letter
            return Unknown(Message("watch.undecodable"))
        if function in ESSENTIAL or code not in {*WHY, *NOTHING_NEW}:
            self._soft += 1
            if function in ESSENTIAL or code in FATAL or self._soft > SOFT:
                self.failed = self.failed or (code, text)
        name = WHY.get(code)
        return Unknown(
            Message(f"watch.{name}") if name else Message("watch.error", {"code": code, "text": text})
        )

    def number(self, most: float, function: str, *args: Any, unit: float = 1) -> Reading:
        return plausible(self.value(function, *args), most, unit)

    def text(self, function: str, *args: Any) -> str | Unknown:
        answer = self.value(function, *args)
        return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer


def plausible(answer: Any, most: float, unit: float = 1) -> Reading:
    """Return a number in its unit; one that cannot be is unknown, never shown as measured."""
    if isinstance(answer, Unknown):
        return answer
    if answer is None:
        return Unknown(Message("watch.not-supported"))
    value = float(answer) / unit
    if not 0 <= value <= most:  # NaN fails both
        return Unknown(Message("watch.implausible", {"value": f"{value:.0f}"}))
    return value


def read_card(
    asked: Asked, index: int, static: dict[int, Gpu], heard: dict[int, int], names: Names
) -> Gpu | None:
    """Return the card, or None where the library does not hand it out. `static`, `heard`: kept between calls."""
    handle = asked.value("nvmlDeviceGetHandleByIndex", index)
    if isinstance(handle, Unknown):
        return None
    if index not in static:
        static[index] = _static(asked, handle, index)
    first = static[index]
    used, total = _memory(asked.value("nvmlDeviceGetMemoryInfo", handle))
    rates = asked.value("nvmlDeviceGetUtilizationRates", handle)
    return replace(
        first,
        sm=plausible(_of(rates, "gpu"), PERCENT),
        memory_busy=plausible(_of(rates, "memory"), PERCENT),
        memory_used=used,
        memory_total=total,
        temperature=asked.number(HOT, "nvmlDeviceGetTemperature", handle, 0),
        fan=asked.number(FAN, "nvmlDeviceGetFanSpeed", handle),
        power=asked.number(WATTS, "nvmlDeviceGetPowerUsage", handle, unit=1000),
        power_limit=asked.number(WATTS, "nvmlDeviceGetEnforcedPowerLimit", handle, unit=1000),
        clock_sm=asked.number(MHZ, "nvmlDeviceGetClockInfo", handle, 1),
        clock_memory=asked.number(2 * MHZ, "nvmlDeviceGetClockInfo", handle, 2),
        pcie_gen=asked.number(LINK, "nvmlDeviceGetCurrPcieLinkGeneration", handle),
        pcie_width=asked.number(LINK, "nvmlDeviceGetCurrPcieLinkWidth", handle),
        pcie_sent=asked.number(RATE, "nvmlDeviceGetPcieThroughput", handle, 0, unit=1000),
        pcie_received=asked.number(RATE, "nvmlDeviceGetPcieThroughput", handle, 1, unit=1000),
        pstate=asked.number(15, "nvmlDeviceGetPerformanceState", handle),
        reasons=_reasons(asked, handle),
        processes=_processes(asked, handle, first, heard, names),
        slices=_slices(asked, handle),
    )


def _static(asked: Asked, handle: Any, index: int) -> Gpu:
    """Return what does not change while the library is up."""
    name, uuid = asked.text("nvmlDeviceGetName", handle), asked.text("nvmlDeviceGetUUID", handle)
    model = asked.value("nvmlDeviceGetCurrentDriverModel", handle)
    return Gpu(
        index,
        f"GPU {index}" if isinstance(name, Unknown) else name,
        None if isinstance(uuid, Unknown) else uuid,
        None if isinstance(model, Unknown) else MODELS.get(model),
        temperature_slows=asked.number(HOT, "nvmlDeviceGetTemperatureThreshold", handle, 1),
        clock_sm_max=asked.number(MHZ, "nvmlDeviceGetMaxClockInfo", handle, 1),
        clock_memory_max=asked.number(2 * MHZ, "nvmlDeviceGetMaxClockInfo", handle, 2),
        pcie_gen_max=asked.number(LINK, "nvmlDeviceGetMaxPcieLinkGeneration", handle),
        pcie_width_max=asked.number(LINK, "nvmlDeviceGetMaxPcieLinkWidth", handle),
    )


def _of(answer: Any, name: str) -> Any:
    return answer if isinstance(answer, Unknown) else getattr(answer, name)


def _memory(answer: Any) -> tuple[Reading, Reading]:
    used, total = (plausible(_of(answer, name), MEMORY, MIB) for name in ("used", "total"))
    if not isinstance(used, Unknown) and not isinstance(total, Unknown) and used > total:
        used = Unknown(Message("watch.implausible", {"value": f"{used:.0f}"}))
    return used, total


def _reasons(asked: Asked, handle: Any) -> tuple[str, ...] | Unknown:
    """Ask by the new name, then by that of drivers before 535."""
    answer = asked.value("nvmlDeviceGetCurrentClocksEventReasons", handle)
    if isinstance(answer, Unknown):
        answer = asked.value("nvmlDeviceGetCurrentClocksThrottleReasons", handle)
    return answer if isinstance(answer, Unknown) else reason_names(answer)


def _processes(
    asked: Asked, handle: Any, first: Gpu, heard: dict[int, int], names: Names
) -> tuple[Process, ...] | Unknown:
    busy = _busy(asked, handle, first.index, heard)
    found: dict[int, Process] = {}
    why: Unknown | None = None
    for kind in ("Compute", "Graphics"):
        listed = _newest(asked, f"nvmlDeviceGet{kind}RunningProcesses", handle)
        if isinstance(listed, Unknown):
            why = why or listed
            continue
        for one in listed:
            memory = _used(one.usedGpuMemory, first.model)
            sm = busy.get(one.pid, 0.0) if isinstance(busy, dict) else busy
            found.setdefault(one.pid, Process(one.pid, names.of(one.pid), kind.lower(), memory, sm))
    if why is not None and not found:
        return why
    return tuple(sorted(found.values(), key=_size))


def _newest(asked: Asked, function: str, handle: Any) -> Any:
    """Ask by version: the plain name means the newest, and raises something else on an older driver."""
    answer = asked.value(f"{function}_v3", handle)
    no_function = isinstance(answer, Unknown) and answer.why.code == "watch.no-function"
    return asked.value(f"{function}_v2", handle) if no_function else answer


def _used(memory: int | None, model: str | None) -> Reading:
    if memory is None and model == "WDDM":
        return Unknown(Message("watch.hidden-by-wddm"))
    return plausible(memory, MEMORY, MIB)


def _size(one: Process) -> tuple[float, int]:
    return (0 if isinstance(one.memory, Unknown) else -one.memory, one.pid)


def _busy(asked: Asked, handle: Any, index: int, heard: dict[int, int]) -> dict[int, float] | Unknown:
    """Return the share of the SMs by process since the last call: the latest of each one's samples."""
    answer = _quiet(asked, "nvmlDeviceGetProcessUtilization", handle, heard.get(index, 0))
    if isinstance(answer, Unknown):
        return answer
    heard[index] = max((one.timeStamp for one in answer), default=heard.get(index, 0))
    return {one.pid: float(one.smUtil) for one in answer if one.smUtil <= PERCENT}


def _quiet(asked: Asked, function: str, *args: Any) -> Any:
    """Ask what may have "nothing new" (21, or 6 before any sample), which is no failure."""
    answer = asked.value(function, *args)
    code = answer.why.params.get("code") if isinstance(answer, Unknown) else None
    return [] if code in NOTHING_NEW else answer


def _slices(asked: Asked, handle: Any) -> tuple[Slice, ...]:
    mode = asked.value("nvmlDeviceGetMigMode", handle)
    if isinstance(mode, Unknown) or not mode[0]:
        return ()
    count = asked.value("nvmlDeviceGetMaxMigDeviceCount", handle)
    slices = []
    for index in range(0 if isinstance(count, Unknown) else min(int(count), 16)):
        part = _quiet(asked, "nvmlDeviceGetMigDeviceHandleByIndex", handle, index)
        if isinstance(part, (Unknown, list)):
            continue
        used, total = _memory(asked.value("nvmlDeviceGetMemoryInfo", part))
        slices.append(Slice(index, asked.text("nvmlDeviceGetName", part), used, total))
    return tuple(slices)
