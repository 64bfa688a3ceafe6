"""Settings of Linux, inside WSL too. What needs root is told as a command: it does not outlive a restart anyhow."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trueup.keep.tune.model import Setting, Step
from trueup.keep.tune.words import bytes_of, shown_size, value_of
from trueup.machine.host import HostError
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.inventory.memory import read_memory
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.keep.tune.model import Row
    from trueup.keep.tune.scene import Scene

GOVERNOR: Final = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"
DRIVER: Final = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver"
SELF_RULED: Final = ("intel_pstate", "amd-pstate-epp", "amd_pstate_epp")  # their "powersave" follows the load
SHARED_LEAST: Final = 1 << 30
FILES_LEAST: Final = 4096


def persistence(scene: Scene, row: Row) -> Setting | None:
    said = scene.run("nvidia-smi", "--query-gpu=persistence_mode", "--format=csv,noheader")
    if said is None:
        return None
    if isinstance(said, Unknown):
        return Setting(row, "unknown", said)
    states = said.split("\n")
    why = Message("tune.why-persistence")
    now = Message("tune.value", {"value": ", ".join(states)})
    if all(state.strip() == "Enabled" for state in states):
        return Setting(row, "good", now, why=why)
    steps = (
        Step(
            Message("tune.persistence-daemon"),
            "sudo systemctl enable --now nvidia-persistenced",
            admin=True,
        ),
        Step(Message("tune.persistence-now"), "sudo nvidia-smi -pm 1", admin=True),
    )
    return Setting(row, "yours", now, Message("tune.value", {"value": "Enabled"}), why=why, steps=steps)


def governor(scene: Scene, row: Row) -> Setting | None:
    now, driver = scene.text(GOVERNOR), scene.text(DRIVER)
    if now is None:
        return None
    if isinstance(now, Unknown):
        return Setting(row, "unknown", now)
    shown = Message("tune.governor", {"value": now, "driver": driver if isinstance(driver, str) else "?"})
    why = Message("tune.why-cpu-governor")
    slow = now == "powersave" and isinstance(driver, str) and driver not in SELF_RULED
    if not slow:
        return Setting(row, "good", shown, why=why)
    step = Step(Message("tune.governor-step"), "sudo cpupower frequency-set -g schedutil", admin=True)
    return Setting(row, "yours", shown, Message("tune.value", {"value": "schedutil"}), why=why, steps=(step,))


def shared_memory(scene: Scene, row: Row) -> Setting | None:
    """Look at /dev/shm: a container has 64 MB of it unless it is asked for more."""
    if "shm" not in quiet_list(scene.host, "/dev"):
        return None
    try:
        free = scene.host.disk_free("/dev/shm")  # noqa: S108  # looked at, not written to
    except HostError as error:
        return Setting(row, "unknown", Unknown(error.why))
    now = Message("tune.free", {"size": f"{free / (1 << 30):.2f}"})
    why = Message("tune.why-shared-memory")
    if free >= SHARED_LEAST:
        return Setting(row, "good", now, why=why)
    contained = any(
        quiet_size(scene.host, path) is not None for path in ("/.dockerenv", "/run/.containerenv")
    )
    step = (
        Step(Message("tune.shm-container"), "docker run --shm-size=8g …")
        if contained
        else Step(Message("tune.shm-mount"), "sudo mount -o remount,size=8G /dev/shm", admin=True)
    )
    return Setting(row, "yours", now, Message("tune.value", {"value": "8GB"}), why=why, steps=(step,))


def open_files(scene: Scene, row: Row) -> Setting | None:
    text = scene.text("/proc/self/limits")
    found = (
        re.search(r"^Max open files\s+(\d+|unlimited)", text, re.MULTILINE) if isinstance(text, str) else None
    )
    if found is None:
        return None
    now, why = Message("tune.value", {"value": found[1]}), Message("tune.why-open-files")
    if found[1] == "unlimited" or int(found[1]) >= FILES_LEAST:
        return Setting(row, "good", now, why=why)
    step = Step(Message("tune.open-files-step"), "ulimit -n 65536")
    return Setting(row, "wish", now, why=why, steps=(step,))


def memory_limit(scene: Scene, row: Row) -> Setting | None:
    """Tell of the limit of the control group, which `free` does not show."""
    try:
        memory = read_memory(scene.host)
    except HostError:
        return None
    if isinstance(memory, Unknown) or memory.limit is None:
        return None
    sizes = {"limit": f"{memory.limit / 1024:.1f}", "total": f"{memory.total / 1024:.1f}"}
    step = Step(Message("tune.memory-limit-step"), "docker run --memory=16g …")
    now = Message("tune.memory-limited", sizes)
    return Setting(row, "wish", now, why=Message("tune.why-memory-limit"), steps=(step,))


def numa(scene: Scene, row: Row) -> Setting | None:
    """Tell that the notice of a negative NUMA node is harmless, where a card has one."""
    base = "/sys/bus/pci/devices"
    for name in quiet_list(scene.host, base):
        if scene.text(f"{base}/{name}/vendor") == "0x10de" and scene.text(f"{base}/{name}/numa_node") == "-1":
            now = Message("tune.value", {"value": "-1"})
            return Setting(row, "good", now, why=Message("tune.why-numa"))
    return None


def cuda_cache(scene: Scene, row: Row) -> Setting:
    """Tell of the variable; a shell's start file is the user's own."""
    way = row.registry or {}
    text = scene.host.env.get("CUDA_CACHE_MAXSIZE")
    why = Message("tune.why-cuda-cache")
    now = (
        Message("tune.value", {"value": shown_size(int(text)) if text.isdigit() else text}) if text else None
    )
    size = value_of(row.name, scene.asked.word(row, way["goal"]) or "", way)
    if size is None or (text and text.isdigit() and int(text) >= int(size)):
        return Setting(row, "good", now or Message("tune.not-set"), why=why)
    step = Step(Message("tune.cuda-cache-step"), f"export CUDA_CACHE_MAXSIZE={size}")
    goal = Message("tune.value", {"value": shown_size(bytes_of(size) or 0)})
    return Setting(row, "wish", now or Message("tune.not-set"), goal, why=why, steps=(step,))
