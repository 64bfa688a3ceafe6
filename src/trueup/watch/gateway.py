"""The gateway to the management library while it is watched: it comes back from everything.

A library that is missing, a driver that is reset or replaced, a card that falls off the bus: each is a
`trouble` in words. The library is started again after a pause that grows from 1 to 30 seconds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trueup.machine.nvml import LIBRARY_NOT_FOUND, load_library
from trueup.values import Message, Unknown
from trueup.watch.card import Asked, read_card
from trueup.watch.model import Cards, Gpu

if TYPE_CHECKING:
    from collections.abc import Callable

    from trueup.watch.names import Names

FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0
# Codes after which only a new start of the library helps: uninitialized, driver not loaded, timeout,
# lost, reset required, operating system, library and driver differ, not found, unknown.
STALE = frozenset({1, 9, 10, 15, 16, 17, 18, 28, 999})


class Gateway:
    """`read(now)` never raises; `now` is a clock in seconds that never jumps."""

    def __init__(self, names: Names, load: Callable[[], bool] = load_library) -> None:
        self._names, self._load = names, load
        self._nvml: Any = None
        self._open = False
        self._trouble: Message | None = None
        self._retry_at, self._pause = 0.0, FIRST_PAUSE
        self._known: dict[str, Gpu] = {}  # cards that were once there, by uuid
        self._last: dict[int, Gpu] = {}  # what was last read, by index
        self._static: dict[int, Gpu] = {}
        self._heard: dict[int, int] = {}

    def read(self, now: float) -> Cards:
        if now >= self._retry_at and (self._trouble is not None or not self._open):
            self._start()
            self._retry_at, self._pause = now + self._pause, min(2 * self._pause, LONGEST_PAUSE)
        if not self._open:
            return Cards(tuple(map(self._gone, self._known.values())), trouble=self._trouble)
        cards, failed = self._cards()
        if failed:
            self._trouble = trouble(*failed)
            self._retry_at = max(self._retry_at, now + FIRST_PAUSE)
        elif self._trouble is None:
            self._pause = FIRST_PAUSE
        return cards

    def close(self) -> None:
        if self._open:
            Asked(self._nvml).value("nvmlShutdown")
        self._open = False

    def _start(self) -> None:
        self.close()
        self._static.clear()
        self._heard.clear()
        if not self._load():
            self._trouble = trouble(LIBRARY_NOT_FOUND, "")
            return
        import pynvml  # noqa: PLC0415  # 0.1 s that only a machine with the library pays

        self._nvml = pynvml
        asked = Asked(pynvml)
        asked.value("nvmlInit")
        self._open = asked.failed is None
        self._trouble = None if asked.failed is None else trouble(*asked.failed)

    def _cards(self) -> tuple[Cards, tuple[int, str] | None]:
        """Return the cards, and the failure after which the library must start anew."""
        asked = Asked(self._nvml)
        count = asked.value("nvmlDeviceGetCount")
        failed, gpus = asked.failed, []
        for index in range(0 if isinstance(count, Unknown) else int(count)):
            gpu, lost = self._card(index)
            failed = failed or lost
            gpus.append(gpu)
        here = {gpu.uuid for gpu in gpus}
        told = trouble(*asked.failed) if asked.failed else None
        gone = [
            replace(self._gone(gpu), trouble=told) if told else self._gone(gpu)
            for uuid, gpu in self._known.items()
            if uuid not in here
        ]
        cards = Cards((*gpus, *gone), asked.text("nvmlSystemGetDriverVersion"), _cuda(asked), told)
        return cards, failed if failed and failed[0] in STALE else None

    def _card(self, index: int) -> tuple[Gpu, tuple[int, str] | None]:
        """Return a card and the failure that makes it unreadable, if one does."""
        asked = Asked(self._nvml)
        gpu = read_card(asked, index, self._static, self._heard, self._names)
        if gpu is None or (asked.failed and asked.failed[0] in STALE):
            failed = asked.failed or (999, "")
            self._heard.pop(index, None)
            last = self._last.get(index) or Gpu(index, f"GPU {index}")
            return Gpu(index, last.name, last.uuid, last.model, trouble(*failed)), failed
        if gpu.uuid:
            self._known[gpu.uuid] = gpu
        self._last[index] = gpu
        return gpu, None

    def _gone(self, gpu: Gpu) -> Gpu:
        told = self._trouble or Message("watch.trouble-gone")
        return Gpu(gpu.index, gpu.name, gpu.uuid, gpu.model, told)


def _cuda(asked: Asked) -> str | Unknown:
    number = asked.value("nvmlSystemGetCudaDriverVersion_v2")
    return number if isinstance(number, Unknown) else f"{number // 1000}.{number % 1000 // 10}"


def trouble(code: int, text: str) -> Message:
    """Return what a failure of the whole library, or of a card, means."""
    known = {
        1: "restarting",
        4: "permission",
        9: "no-driver",
        12: "no-library",
        15: "lost",
        16: "reset",
        18: "replaced",
    }
    if code in known:
        return Message(f"watch.trouble-{known[code]}")
    return Message("watch.trouble-other", {"code": code, "text": text})
