"""How much memory there is, and how much of it the system may still promise."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.machine.host import HostError
from trueup.machine.inventory.model import Memory
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host

_CONTROL_GROUPS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_STRICT = "2"  # of vm.overcommit_memory: only then Linux keeps to its commit limit


def read_memory(host: Host) -> Memory | Unknown:
    if host.platform == "windows":
        raw = {name: size >> 20 for name, size in host.memory().items()}
        return Memory(raw["total"], raw["available"], raw["commit_limit"], raw["commit_free"])
    if host.platform == "macos":
        return Unknown(Message("machine.not-on-this-system", {"what": "/proc/meminfo"}))
    text = host.read_text("/proc/meminfo") or ""
    rows = {name: int(number) >> 10 for name, number in re.findall(r"^(\w+):\s+(\d+) kB", text, re.MULTILINE)}
    if "MemTotal" not in rows:
        return Unknown(Message("machine.file-missing", {"path": "/proc/meminfo"}))
    limit = rows.get("CommitLimit") if _first(host, "/proc/sys/vm/overcommit_memory") == _STRICT else None
    free = None if limit is None else limit - rows.get("Committed_AS", 0)
    return Memory(rows["MemTotal"], rows.get("MemAvailable", 0), limit, free, _group(host, rows["MemTotal"]))


def _group(host: Host, total: int) -> int | None:
    """Return the control group's limit; the first version writes an absurd number where there is none."""
    for path in _CONTROL_GROUPS:
        text = _first(host, path)
        if text.isdigit():
            limit = int(text) >> 20
            return limit if limit < total else None
    return None


def _first(host: Host, path: str) -> str:
    try:
        return (host.read_text(path) or "").strip()
    except HostError:
        return ""
