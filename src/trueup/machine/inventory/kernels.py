"""Jupyter kernels: which interpreter a notebook starts."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list
from trueup.machine.inventory.model import Kernel
from trueup.machine.pythons.common import home

if TYPE_CHECKING:
    from trueup.machine.host import Host


def read_kernels(host: Host) -> tuple[Kernel, ...]:
    join = path_of(host).join
    found = [
        kernel
        for folder in _folders(host)
        for name in quiet_list(host, folder)
        if (kernel := _kernel(host, join(folder, name, "kernel.json"), name))
    ]
    return tuple(dict.fromkeys(found))


def _folders(host: Host) -> list[str]:
    join = path_of(host).join
    if host.platform == "windows":
        roots = [host.env.get("APPDATA", ""), host.env.get("PROGRAMDATA", "")]
    else:
        roots = [join(home(host), ".local", "share"), "/usr/local/share", "/usr/share"]
    return [join(root, "jupyter", "kernels") for root in roots if root]


def _kernel(host: Host, path: str, name: str) -> Kernel | None:
    try:
        text = host.read_text(path)
        document = json.loads(text) if text else {}
    except (HostError, ValueError):
        return None
    command = document.get("argv") if isinstance(document, dict) else None
    if not isinstance(command, list) or not command or not isinstance(command[0], str):
        return None
    if "python" not in command[0].lower():
        return None
    return Kernel(str(document.get("display_name", name)), command[0])
