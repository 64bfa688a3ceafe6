"""A machine in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.report.say import say
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.model import Gpu, Machine

SYSTEMS = {"windows": "Windows", "wsl2": "WSL2", "linux": "Linux", "macos": "macOS"}


def machine_line(machine: Machine, lang: str) -> str:
    """Return the operating system, the cards and the driver."""
    parts = [_system(machine)]
    if isinstance(machine.gpus, Unknown):
        parts.append(say(Message("up.cards-unknown", {"why": say(machine.gpus.why, lang)}), lang))
    elif machine.gpus:
        parts += [_card(gpu) for gpu in machine.gpus]
    else:
        parts.append(say(Message("up.no-card"), lang))
    if machine.driver is None:
        parts.append(say(Message("up.no-driver"), lang))
    elif not isinstance(machine.driver, Unknown):
        parts.append(say(Message("up.driver", {"version": machine.driver}), lang))
    return " · ".join(parts)


def _system(machine: Machine) -> str:
    name = SYSTEMS[machine.os]
    detail = [v for v in (machine.os_build, machine.arch) if isinstance(v, str)]
    return f"{name} ({', '.join(detail)})" if detail else name


def _card(gpu: Gpu) -> str:
    known = isinstance(gpu.capability, str)
    return f"{gpu.name} ({gpu.capability})" if known else gpu.name
