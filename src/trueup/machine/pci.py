"""Cards by the PCI bus: what is in the machine, whether or not a driver answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.machine.host import HostError
from trueup.machine.model import Gpu

if TYPE_CHECKING:
    from trueup.machine.host import Host

VENDORS = {
    "10de": "nvidia",
    "1002": "amd",
    "8086": "intel",
    "5143": "qualcomm",
    "17cb": "qualcomm",
    "qcom": "qualcomm",
}
_WORDS = {"nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "qualcomm": "Qualcomm", "other": "PCI"}
_DEVICES = "/sys/bus/pci/devices"
_NAMES = ("/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids")
_DISPLAY = ("0x0300", "0x0302", "0x0380", "0x1200")  # VGA, 3D, other display, processing accelerator
_WINDOWS_ID = re.compile(r"VEN_([0-9A-Z]{4})&DEV_([0-9A-F]{4})", re.IGNORECASE)
_CLASS = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Class\\{4d36e968-e325-11ce-bfc1-08002be10318}"
_BUS = "HKLM\\SYSTEM\\CurrentControlSet\\Enum\\PCI"


def linux_cards(host: Host) -> tuple[Gpu, ...] | None:
    """Return the display devices of the bus; None where the machine shows no PCI bus."""
    slots = host.list_dir(_DEVICES)
    if slots is None:
        return None
    ids = [pair for slot in slots if (pair := _linux_id(host, f"{_DEVICES}/{slot}"))]
    names = _linux_names(host, ids) if ids else {}
    return tuple(_gpu(vendor, device, names.get((vendor, device))) for vendor, device in ids)


def _linux_id(host: Host, slot: str) -> tuple[str, str] | None:
    if not (host.read_text(f"{slot}/class") or "").startswith(_DISPLAY):
        return None
    vendor, device = ((host.read_text(f"{slot}/{name}") or "").strip()[2:] for name in ("vendor", "device"))
    return vendor.lower(), device.lower()


def _linux_names(host: Host, ids: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    for place in _NAMES:
        text = host.read_text(place)
        if text is not None:
            return {pair: name for pair in ids if (name := pci_name(text, *pair))}
    return {}


def pci_name(text: str, vendor: str, device: str) -> str | None:
    """Return the product name of a pci.ids file; of "GA106 [GeForce RTX 3060]" the part in brackets."""
    start = text.find(f"\n{vendor}  ")
    if start < 0:
        return None
    end = re.search(r"\n[^\t#\n]", text[start + 1 :])
    block = text[start : start + 1 + end.start()] if end else text[start:]
    found = re.search(rf"\n\t{device}  (.+)", block)
    if found is None:
        return None
    inner = re.search(r"\[(.+)\]", found[1])
    return inner[1] if inner else found[1].strip()


def windows_cards(host: Host) -> tuple[tuple[Gpu, str | None], ...]:
    """Return each card of the display class with its driver's version as Windows writes it.

    A card without a driver runs on "Microsoft Basic Display Adapter"; then the bus is asked for its ids.
    """
    keys = [key for key in host.registry_keys(_CLASS) or () if key.isdigit()]
    rows = [row for key in keys if (row := _windows_card(host, f"{_CLASS}\\{key}"))]
    known = {gpu.pci for gpu, _ in rows}
    return (*rows, *((gpu, None) for gpu in _windows_bus(host) if gpu.pci not in known))


def _windows_card(host: Host, key: str) -> tuple[Gpu, str | None] | None:
    try:
        values = host.registry_values(key) or {}
    except (
        HostError
    ):  # "Properties" beside the numbered keys, and keys of other sessions, are closed to users
        return None
    found = _WINDOWS_ID.search(str(values.get("MatchingDeviceId", "")))
    if found is None:
        return None
    version = values.get("DriverVersion")
    gpu = _gpu(found[1].lower(), found[2].lower(), str(values.get("DriverDesc", "")) or None)
    return gpu, str(version) if version else None


def _windows_bus(host: Host) -> list[Gpu]:
    cards = []
    for name in host.registry_keys(_BUS) or ():
        found = _WINDOWS_ID.search(name)
        if found is None or found[1].lower() not in VENDORS:
            continue
        for instance in host.registry_keys(f"{_BUS}\\{name}") or ():
            values = host.registry_values(f"{_BUS}\\{name}\\{instance}") or {}
            ids = values.get("CompatibleIDs", ())
            if isinstance(ids, tuple) and any("CC_030" in text or "CC_0380" in text for text in ids):
                cards.append(_gpu(found[1].lower(), found[2].lower(), None))
    return cards


def nvidia_version(windows: str) -> str:
    """Turn "31.0.15.3667" into the "536.67" that nvidia-smi prints: the last five digits."""
    *_, third, last = windows.split(".")
    digits = (third + last.zfill(4))[-5:]
    return f"{digits[:-2]}.{digits[-2:]}"


def _gpu(vendor: str, device: str, name: str | None) -> Gpu:
    maker = VENDORS.get(vendor, "other")
    full = name or f"{_WORDS[maker]} {vendor}:{device}"
    if name and not name.lower().startswith(_WORDS[maker].lower()) and maker in ("nvidia", "amd", "intel"):
        full = f"{_WORDS[maker]} {name}"
    return Gpu(full, vendor=maker, pci=f"{vendor}:{device}")
