"""A sample as data: JSON of `trueup.watch/1`, rows of CSV, and Prometheus' text."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from trueup.report.say import say
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.watch.model import Gpu, Process, Sample, Tree

SCHEMA = "trueup.watch/1"
# Name in JSON and CSV, with the unit -> field of the card.
GPU = {
    "sm_percent": "sm",
    "memory_busy_percent": "memory_busy",
    "memory_used_mib": "memory_used",
    "memory_total_mib": "memory_total",
    "temperature_c": "temperature",
    "temperature_slows_c": "temperature_slows",
    "fan_percent": "fan",
    "power_w": "power",
    "power_limit_w": "power_limit",
    "clock_sm_mhz": "clock_sm",
    "clock_sm_max_mhz": "clock_sm_max",
    "clock_memory_mhz": "clock_memory",
    "clock_memory_max_mhz": "clock_memory_max",
    "pcie_gen": "pcie_gen",
    "pcie_gen_max": "pcie_gen_max",
    "pcie_width": "pcie_width",
    "pcie_width_max": "pcie_width_max",
    "pcie_received_mb_s": "pcie_received",
    "pcie_sent_mb_s": "pcie_sent",
    "pstate": "pstate",
}
HOST = {
    "cpu_percent": "cpu",
    "cpu_busiest_core_percent": "cpu_top",
    "cores": "cores",
    "memory_used_mib": "memory_used",
    "memory_total_mib": "memory_total",
    "swap_mb_s": "swap_rate",
    "disk": "disk",
    "disk_read_mb_s": "disk_read",
    "disk_written_mb_s": "disk_written",
    "disk_busy_percent": "disk_busy",
    "plugged_in": "plugged",
}
TREE = {
    "cpu_percent": "cpu",
    "busiest_percent": "busiest",
    "memory_mib": "memory",
    "disk_read_mb_s": "disk_read",
    "compiled_kernels_mib": "cache",
}


def as_data(sample: Sample, lang: str) -> dict[str, Any]:
    """Return one line of `--json`; its schema is `schemas/watch-1.json`."""
    cards = sample.cards
    return {
        "schema": SCHEMA,
        "time": stamp(sample.time),
        "elapsed_s": round(sample.at, 3),
        "driver": _value(cards.driver, lang),
        "cuda": _value(cards.cuda, lang),
        "trouble": say(cards.trouble, lang) if cards.trouble else None,
        "gpus": [_gpu(gpu, lang) for gpu in cards.gpus],
        "host": {name: _value(getattr(sample.host, field), lang) for name, field in HOST.items()},
        "program": _tree(sample.tree, lang) if sample.tree else None,
    }


def stamp(seconds: float) -> str:
    now = dt.datetime.fromtimestamp(seconds, dt.timezone.utc)
    return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _value(value: Any, lang: str) -> Any:
    """Return a value; what is not known as `{"unknown": reason}`."""
    if isinstance(value, Unknown):
        return {"unknown": say(value.why, lang)}
    return round(value, 2) if isinstance(value, float) else value


def _gpu(gpu: Gpu, lang: str) -> dict[str, Any]:
    listed = gpu.processes
    return {
        "index": gpu.index,
        "name": gpu.name,
        "uuid": gpu.uuid,
        "model": gpu.model,
        "trouble": say(gpu.trouble, lang) if gpu.trouble else None,
        **{name: _value(getattr(gpu, field), lang) for name, field in GPU.items()},
        "clock_reasons": _value(gpu.reasons, lang) if isinstance(gpu.reasons, Unknown) else list(gpu.reasons),
        "processes": _value(listed, lang)
        if isinstance(listed, Unknown)
        else [_process(one, lang) for one in listed],
        "mig": [
            {
                "index": one.index,
                "name": _value(one.name, lang),
                "memory_used_mib": _value(one.memory_used, lang),
                "memory_total_mib": _value(one.memory_total, lang),
            }
            for one in gpu.slices
        ],
    }


def _process(one: Process, lang: str) -> dict[str, Any]:
    names = {"name": one.name, "memory_mib": one.memory, "sm_percent": one.sm}
    return {"pid": one.pid, "kind": one.kind, **{key: _value(value, lang) for key, value in names.items()}}


def _tree(tree: Tree, lang: str) -> dict[str, Any]:
    values = {name: _value(getattr(tree, field), lang) for name, field in TREE.items()}
    return {"processes": len(tree.pids), **values}


COLUMNS = (
    "time", "elapsed_s", "gpu", "gpu_name", *GPU, "clock_reasons", *(f"host_{name}" for name in HOST),
)  # fmt: skip


def as_rows(sample: Sample) -> Iterator[list[str]]:
    """Yield a row a card, or one with empty card columns where there is none; unknown is empty."""
    host = [_cell(getattr(sample.host, field)) for field in HOST.values()]
    head = [stamp(sample.time), f"{sample.at:.3f}"]
    for gpu in sample.cards.gpus:
        reasons = "" if isinstance(gpu.reasons, Unknown) else " ".join(gpu.reasons)
        values = [_cell(getattr(gpu, field)) for field in GPU.values()]
        yield [*head, str(gpu.index), gpu.name, *values, reasons, *host]
    if not sample.cards.gpus:
        yield [*head, "", "", *("" for _ in GPU), "", *host]


def _cell(value: Any) -> str:
    if value is None or isinstance(value, Unknown):
        return ""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
