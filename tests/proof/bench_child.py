"""Stands in for the child of a bench; the framework's name chooses what it answers."""

from __future__ import annotations

import faulthandler
import json
import sys
import time
from pathlib import Path
from typing import Any

_, CHANNEL, EXPECTED, SECONDS, CASE = sys.argv[1:]


def say(event: str, **values: Any) -> None:
    with Path(CHANNEL).open("a", encoding="utf-8") as file:
        file.write(json.dumps({**values, "event": event}) + "\n")


def figure(name: str, seconds: list[float] | None = None, amount: float = 2e9) -> None:
    say("begin", name=name)
    say(
        "figure", name=name, unit="flop", amount=amount, seconds=seconds or [0.1] * 5, detail={"side": "4096"}
    )


def start() -> None:
    say("phase", phase="import")
    say("python", version="3.10.11", executable=sys.executable)
    say("versions", versions={"tensorflow": "2.10.1"})
    say("phase", phase="devices")
    say("devices", gpus=[] if EXPECTED == "cpu" else ["Card (8.6)"], build={}, hidden=None)
    if CASE == "no-gpu":
        say("stopped", kind="no-gpu", text="")
        sys.exit(1)
    say("phase", phase="measure")
    say("setting", name="tf32", value="on")
    figure("matmul-fp32")
    if CASE == "skips":
        say("begin", name="matmul-tf32")
        say("passed-over", name="matmul-tf32", kind="out-of-memory", text="OOM when allocating")


start()
say("passed-over", name="copy-to-pinned", kind="no-device", text="")
if CASE == "unknown-kind":
    say("passed-over", name="memory", kind="no-mood", text="")
    time.sleep(120)
if CASE == "crash":
    say("begin", name="memory")
    faulthandler._read_null()  # type: ignore[attr-defined]
if CASE == "hang":
    say("begin", name="memory")
    time.sleep(120)
if CASE == "garbage":
    say("figure", name="memory", unit="byte", amount="much", seconds=[1.0], detail={})
    time.sleep(120)
if CASE == "zero":
    figure("memory", [0.0, 0.0, 0.0])
say("done")
