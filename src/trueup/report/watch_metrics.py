"""A sample as Prometheus' text exposition, version 0.0.4, in base units; what is not known is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.watch.model import Gpu, Reading, Sample

MIB = 1 << 20
# Metric -> (field, factor to the base unit, help).
GPU = {
    "sm_ratio": ("sm", 0.01, "Share of the last interval in which kernels ran"),
    "memory_access_ratio": ("memory_busy", 0.01, "Share of the last interval in which memory was accessed"),
    "memory_used_bytes": ("memory_used", MIB, "Memory in use"),
    "memory_total_bytes": ("memory_total", MIB, "Memory of the card"),
    "temperature_celsius": ("temperature", 1, "Temperature of the chip"),
    "fan_ratio": ("fan", 0.01, "Fan speed asked for"),
    "power_watts": ("power", 1, "Power drawn"),
    "power_limit_watts": ("power_limit", 1, "Power limit in force"),
    "sm_clock_hertz": ("clock_sm", 1e6, "Clock of the multiprocessors"),
    "memory_clock_hertz": ("clock_memory", 1e6, "Clock of the memory"),
    "pcie_generation": ("pcie_gen", 1, "PCIe generation at present; idle links fall back"),
    "pcie_lanes": ("pcie_width", 1, "PCIe lanes at present"),
    "pcie_received_bytes_per_second": ("pcie_received", 1e6, "From the machine to the card"),
    "pcie_sent_bytes_per_second": ("pcie_sent", 1e6, "From the card to the machine"),
}
HOST = {
    "cpu_ratio": ("cpu", 0.01, "Share of all cores in use"),
    "memory_used_bytes": ("memory_used", MIB, "Memory in use"),
    "memory_total_bytes": ("memory_total", MIB, "Memory of the machine"),
    "disk_read_bytes_per_second": ("disk_read", 1e6, "Read from the busiest disk"),
    "disk_written_bytes_per_second": ("disk_written", 1e6, "Written to the busiest disk"),
    "disk_busy_ratio": ("disk_busy", 0.01, "Share of the time that the busiest disk worked"),
}


def as_metrics(sample: Sample) -> str:
    return "\n".join(_lines(sample)) + "\n"


def _lines(sample: Sample) -> Iterator[str]:
    gpus = sample.cards.gpus
    yield from _head("trueup_gpu_up", "1 where the card answers")
    for gpu in gpus:
        yield f"trueup_gpu_up{_labels(gpu)} {int(gpu.trouble is None)}"
    for name, (field, factor, told) in GPU.items():
        yield from _head(f"trueup_gpu_{name}", told)
        yield from _values(
            f"trueup_gpu_{name}", [(_labels(gpu), getattr(gpu, field)) for gpu in gpus], factor
        )
    yield from _head("trueup_gpu_slowed", "1 for each reason that holds the clocks down")
    for gpu in gpus:
        for reason in () if isinstance(gpu.reasons, Unknown) else gpu.reasons:
            yield f"trueup_gpu_slowed{_labels(gpu, reason=reason)} 1"
    yield from _head("trueup_gpu_processes", "Processes with a context on the card")
    for gpu in gpus:
        if not isinstance(gpu.processes, Unknown):
            yield f"trueup_gpu_processes{_labels(gpu)} {len(gpu.processes)}"
    for name, (field, factor, told) in HOST.items():
        yield from _head(f"trueup_host_{name}", told)
        yield from _values(f"trueup_host_{name}", [("", getattr(sample.host, field))], factor)


def _head(name: str, told: str) -> Iterator[str]:
    yield f"# HELP {name} {told}"
    yield f"# TYPE {name} gauge"


def _values(name: str, values: list[tuple[str, Reading]], factor: float) -> Iterator[str]:
    for labels, value in values:
        if not isinstance(value, Unknown):
            yield f"{name}{labels} {value * factor:.10g}"


def _labels(gpu: Gpu, **more: str) -> str:
    named = {"gpu": str(gpu.index), "uuid": gpu.uuid or "", "name": gpu.name, **more}
    return "{" + ",".join(f'{key}="{_escaped(value)}"' for key, value in named.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
