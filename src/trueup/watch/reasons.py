"""NVML's clock-event bits by name. Source: nvml.h, nvmlClocksEventReasons (nvidia-ml-py 13)."""

from __future__ import annotations

NAMES = {
    0x001: "idle",
    0x002: "application-clocks",
    0x004: "power-cap",
    0x008: "hardware-slowdown",
    0x010: "sync-boost",
    0x020: "heat",
    0x040: "heat-hardware",
    0x080: "power-brake",
    0x100: "display-clocks",
    0x200: "board-limit",
    0x400: "reliability",
}
HARMLESS = frozenset({"idle", "application-clocks", "sync-boost", "display-clocks", "reliability"})
HEAT = frozenset({"heat", "heat-hardware"})
POWER = frozenset({"power-cap", "power-brake", "board-limit"})


def names(bits: int) -> tuple[str, ...]:
    """Return the reasons of a mask, in the order of their bits; a bit that is not known as `bit-0x…`."""
    found = [name for bit, name in NAMES.items() if bits & bit]
    rest = bits & ~sum(NAMES)
    return tuple([*found, f"bit-{rest:#x}"] if rest else found)
