"""Cards and driver: the management library first, then `nvidia-smi`, then what the bus and the registry know."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trueup.machine import nvml, pci, smi
from trueup.machine.host import HostError
from trueup.machine.model import NOT_READ, Gpu
from trueup.machine.system import kernel_of_wsl
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.machine.host import Host

_MODELS = {0: "WDDM", 1: "TCC", 2: "MCDM"}
_MODES = {0: "default", 1: "exclusive-thread", 2: "prohibited", 3: "exclusive-process"}
_MODULE = re.compile(r"NVRM version:.*?\s(\d+\.\d+(?:\.\d+)*)\s")


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the driver does not answer, in its own words. `code` is NVML's number, 0 where nvidia-smi said it."""

    code: int
    text: str


@dataclass(frozen=True, slots=True)
class Cards:
    """`module` is the version of Linux' kernel module, `failure` why the driver does not answer.

    `unlisted`: NVIDIA cards that the bus knows and a working driver does not list.
    """

    gpus: tuple[Gpu, ...] | Unknown = NOT_READ
    driver: str | Unknown | None = NOT_READ
    cuda: str | Unknown | None = NOT_READ
    failure: Failure | None = None
    module: str | None = None
    unlisted: tuple[Gpu, ...] = ()


def read_cards(host: Host) -> Cards:
    try:
        raw = host.nvml()
    except HostError as error:
        raw = {"error": {"code": 0, "text": ""}, "why": error.why}
    answered = parse_nvml(raw)
    if isinstance(answered, Cards):
        return _with_bus(host, answered)
    if answered.code != nvml.LIBRARY_NOT_FOUND:
        answered = _ask_smi(host, answered)
        if isinstance(answered, Cards):
            return _with_bus(host, answered)
    return _without_library(host, answered)


def parse_nvml(raw: Mapping[str, Any]) -> Cards | Failure:
    """Turn the raw answers into cards, each unanswered question into Unknown with the library's words."""
    if "error" in raw:
        return Failure(raw["error"]["code"], raw["error"]["text"])
    devices = raw["devices"]
    if isinstance(devices, dict):
        gpus: tuple[Gpu, ...] | Unknown = _unknown(devices)
    else:
        gpus = tuple(_nvml_gpu(device) for device in devices)
    lost = [device for device in devices if "error" in device] if isinstance(devices, list) else []
    failure = Failure(lost[0]["error"]["code"], lost[0]["error"]["text"]) if lost else None
    return Cards(gpus, _value(raw["driver"], str), _value(raw["cuda"], _cuda_text), failure)


def _nvml_gpu(device: Mapping[str, Any]) -> Gpu:
    if "error" in device:
        why = _unknown(device)
        return Gpu("NVIDIA GPU", why, why, vendor="nvidia")
    name, model, bus = device["name"], device["model"], device["pci"]
    uuid, mode = device.get("uuid"), device.get("mode")
    return Gpu(
        name if isinstance(name, str) else "NVIDIA GPU",
        _value(device["capability"], lambda pair: f"{pair[0]}.{pair[1]}"),
        _value(device["memory"], lambda size: size >> 20),
        vendor="nvidia",
        pci=f"{bus & 0xFFFF:04x}:{bus >> 16:04x}" if isinstance(bus, int) else None,
        model=_MODELS.get(model) if isinstance(model, int) else None,
        mig=device["mig"] == 1,
        mig_slices=_value(device["slices"], int) if "slices" in device and device["mig"] == 1 else None,
        uuid=uuid if isinstance(uuid, str) else None,
        free_mb=_value(device["free"], lambda size: size >> 20) if "free" in device else NOT_READ,
        compute_mode=_MODES.get(mode) if isinstance(mode, int) else None,
    )


def _cuda_text(number: int) -> str:
    return f"{number // 1000}.{number % 1000 // 10}"


def _value(raw: Any, convert: Any) -> Any:
    return _unknown(raw) if isinstance(raw, dict) else convert(raw)


def _unknown(raw: Mapping[str, Any]) -> Unknown:
    error = raw["error"]
    return Unknown(Message("machine.nvml-said", {"text": error["text"], "code": error["code"]}))


def _ask_smi(host: Host, failure: Failure) -> Cards | Failure:
    try:
        answer = smi.collect(host)
    except HostError:
        return failure
    if answer is None:
        return failure
    if answer.failure is not None:
        return Failure(failure.code, failure.text or answer.failure)
    return Cards(answer.gpus, answer.driver, answer.cuda)


def _with_bus(host: Host, cards: Cards) -> Cards:
    """Add the cards of other makers, which NVIDIA's library does not list."""
    others = _bus(host)
    if isinstance(others, Unknown) or isinstance(cards.gpus, Unknown):
        return replace(cards, module=_module(host))
    own = _named_by_bus(cards.gpus, tuple(gpu for gpu in others if gpu.vendor == "nvidia"))
    rest = tuple(gpu for gpu in others if gpu.vendor not in ("nvidia", "other"))
    unlisted = () if own else tuple(gpu for gpu in others if gpu.vendor == "nvidia")
    return replace(cards, gpus=own + unlisted + rest, module=_module(host), unlisted=unlisted)


def _named_by_bus(own: tuple[Gpu, ...], bus: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """Give a lost card the name that the bus knows, where just one is left over."""
    taken = {gpu.pci for gpu in own}
    left = [gpu for gpu in bus if gpu.pci not in taken]
    if len(left) != 1:
        return own
    return tuple(replace(gpu, name=left[0].name, pci=left[0].pci) if gpu.pci is None else gpu for gpu in own)


def _without_library(host: Host, failure: Failure) -> Cards:
    gpus = _bus(host)
    module = _module(host)
    driver: str | Unknown | None = _driver_without_library(host, failure, module)
    cuda: str | Unknown | None = None if driver is None else Unknown(_why(failure))
    return Cards(gpus, driver, cuda, failure, module)


def _driver_without_library(host: Host, failure: Failure, module: str | None) -> str | Unknown | None:
    if host.platform == "windows":
        version = _registry_driver(host)
        if version is not None:
            return version
    if module is not None:
        return module
    if failure.code in (nvml.LIBRARY_NOT_FOUND, nvml.DRIVER_NOT_LOADED):
        return None
    return Unknown(_why(failure))


def _registry_driver(host: Host) -> str | None:
    try:
        rows = pci.windows_cards(host)
    except HostError:
        return None
    versions = [version for gpu, version in rows if gpu.vendor == "nvidia" and version]
    return pci.nvidia_version(versions[0]) if versions else None


def _why(failure: Failure) -> Message:
    return Message("machine.nvml-said", {"text": failure.text, "code": failure.code})


def _module(host: Host) -> str | None:
    if host.platform != "linux":
        return None
    try:
        text = host.read_text("/proc/driver/nvidia/version")
    except HostError:
        return None
    found = _MODULE.search(text or "")
    return found[1] if found else None


def _bus(host: Host) -> tuple[Gpu, ...] | Unknown:
    try:
        if host.platform == "windows":
            return tuple(gpu for gpu, _ in pci.windows_cards(host))
        if host.platform == "macos":
            return Unknown(Message("machine.not-on-this-system", {"what": "PCI"}))
        if kernel_of_wsl(host) is not None:
            return Unknown(Message("machine.wsl-hides-cards"))
        found = pci.linux_cards(host)
    except HostError as error:
        return Unknown(error.why)
    if found is None and host.system().get("machine") == "x86_64":
        return ()
    return Unknown(Message("machine.no-pci-bus")) if found is None else found
