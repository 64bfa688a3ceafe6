"""Stands in for the proof's child; the framework's name chooses what goes wrong."""

from __future__ import annotations

import faulthandler
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

CHANNEL, EXPECTED, DATA, EPOCHS, CASE = sys.argv[1:]
DEVICE = "CPU:0" if EXPECTED == "cpu" else "GPU:0"


def say(event: str, **values: Any) -> None:
    with Path(CHANNEL).open("a", encoding="utf-8") as file:
        file.write(json.dumps({**values, "event": event}) + "\n")


def start() -> None:
    say("phase", phase="import")
    say("python", version="3.10.11", executable=sys.executable)
    say("versions", versions={"tensorflow": "2.10.1", "numpy": "1.23.5"})
    say("phase", phase="devices")
    say("devices", gpus=["Card (8.6)"] if DEVICE == "GPU:0" else [], build={"cuda": "True"}, hidden=None)


def course(
    *, accuracy: float = 0.99, places: str = DEVICE, kernels: tuple[str, ...] = (), error: float = 1e-6
) -> None:
    start()
    say("phase", phase="data")
    say("data", data=DATA, train=9600, test=2000, seconds=1)
    say("phase", phase="train")
    say("placement", variables=[places], results=[places], kernels=list(kernels))
    for epoch in range(1, int(EPOCHS) + 1):
        numbers = {"epoch": epoch, "epochs": 3, "step": 75, "steps": 75, "loss": 0.1, "accuracy": 0.9}
        say("step", device=f"/{DEVICE}", **numbers)
        say("epoch", device=f"/{DEVICE}", epoch=epoch, seconds=2.0 / epoch)
    say("accuracy", accuracy=accuracy)
    say("memory", device=f"/{DEVICE}", peak_mb=None if EXPECTED == "cpu" else 412.5)
    if EXPECTED != "cpu":
        say("phase", phase="compare")
        for name in ("conv2d", "matmul"):
            say("agreement", operation=name, error=error, tolerance=1e-3)
        say("epoch", device="/CPU:0", epoch=1, seconds=3.0)
    say("done")


def noise(*lines: str) -> None:
    for line in lines:
        sys.stderr.write(line + "\n")
    sys.stderr.flush()


def crash() -> None:
    start()
    noise("2026-11-30 F ./tensorflow/core: Check failed", "last words: 中文")
    faulthandler._read_null()  # type: ignore[attr-defined]


def leave_a_child() -> None:
    """End well while another process still holds the pipe."""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"])
    course()


def hang() -> None:
    start()
    say("phase", phase="train")
    noise("waiting for a lock")
    grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    Path(os.environ["TRUEUP_TEST_PID"]).write_text(str(grandchild.pid))
    time.sleep(60)


def garbage() -> None:
    with Path(CHANNEL).open("a", encoding="utf-8") as file:
        file.write('{"event": "versions", "versions": 7}\n')
    time.sleep(60)


def import_error() -> None:
    say("phase", phase="import")
    noise("Traceback (most recent call last):", "AttributeError: _ARRAY_API not found")
    say("stopped", kind="import-error", text="AttributeError: _ARRAY_API not found\nmore")
    sys.exit(1)


def no_gpu() -> None:
    start()
    noise("Could not load dynamic library 'cudnn64_8.dll'")
    say("stopped", kind="no-gpu", text="")
    sys.exit(1)


def hollow() -> None:
    start()
    say("done")


def late() -> None:
    """Write more than one buffer right before the end."""
    for _ in range(3000):
        noise("x" * 80)
    course()


CASES: dict[str, Callable[[], None]] = {
    "good": course,
    "kernels": lambda: course(kernels=(f"Conv2D on {DEVICE}", f"MatMul on {DEVICE}")),
    "kernel-on-cpu": lambda: course(kernels=("Conv2D on GPU:0", "MatMul on CPU:0")),
    "on-cpu": lambda: course(places="CPU:0"),
    "nowhere": lambda: course(places=""),
    "dull": lambda: course(accuracy=0.31),
    "wrong": lambda: course(error=0.2),
    "not-a-number": lambda: course(error=float("nan")),
    "no-gpu": no_gpu,
    "crash": crash,
    "exit-7": lambda: sys.exit(7),
    "silent-end": start,
    "hang": hang,
    "garbage": garbage,
    "import-error": import_error,
    "late": late,
    "leave-a-child": leave_a_child,
    "hollow": hollow,
}
CASES[CASE]()
