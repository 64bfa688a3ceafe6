"""Stands in for the child of a trial: a batch fits up to a number; the framework's name chooses what else happens."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

_, CHANNEL, EXPECTED, OPTIONS, CASE = sys.argv[1:]
BATCH = json.loads(OPTIONS)["batch"]


def say(event: str, **values: Any) -> None:
    with Path(CHANNEL).open("a", encoding="utf-8") as file:
        file.write(json.dumps({**values, "event": event}) + "\n")


def stop(kind: str, text: str) -> None:
    say("stopped", kind=kind, text=text)
    sys.exit(1)


say("phase", phase="import")
if CASE == "broken":
    stop("import-error", "ImportError: DLL load failed")
say("versions", versions={"tensorflow": "2.10.1"})
say("phase", phase="devices")
if CASE == "no-gpu":
    stop("no-gpu", "")
say("devices", gpus=["Card (8.6)"], build={}, hidden=None)
if CASE == "early-crash":
    os.abort()
say("phase", phase="measure")
if CASE == "bad-model":
    stop("bad-model", "NameError: name 'kears' is not defined")
if CASE == "hang":
    time.sleep(120)
if BATCH > 100:
    if CASE == "abort":
        os.abort()
    stop("out-of-memory", "OOM when allocating tensor")
if CASE == "garbage":
    say("trial", batch="many", seconds=[], peak_mb=None, detail={})
    time.sleep(120)
seconds = [30.0] if CASE == "slow" else [] if CASE == "hollow" else [BATCH / 1000] * 3
say("trial", batch=BATCH, seconds=seconds, peak_mb=BATCH * 10.0, detail={"policy": "float32"})
say("done")
