"""Reports to look at: a whole one, and one made of hostile names."""

from __future__ import annotations

import functools
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from world import World, load

from trueup.diagnose.findings import Checkup, check
from trueup.diagnose.trace import Node, Trace
from trueup.diagnose.trace.model import Found
from trueup.facts import load as load_facts
from trueup.history import Entry, Reach, compare, flatten
from trueup.machine.host import Recording
from trueup.machine.survey import read_survey
from trueup.report.html import Material
from trueup.report.redact import redact_all

MACHINES = Path(__file__).parent.parent / "check" / "machines"
GOOD = "aligned--windows-tf210-hook"
ENDED = "tf-windows-gpu-ended-at-2-10--tf219-beside-toolkit-12"
SITE = "C:\\Users\\Jane Roe\\.venv\\Lib\\site-packages"
PROOF: dict[str, Any] = {
    "schema": "trueup.verify/1",
    "outcome": "proven",
    "text": "TensorFlow trained on the GPU",
    "date": "2026-05-03T10:00:00+00:00",
    "expected": "gpu",
    "framework": "tensorflow",
    "python": "3.10.11",
    "versions": {"tensorflow": "2.10.1"},
    "gpus": ["NVIDIA GeForce RTX 3060"],
    "accuracy": 0.981,
    "epoch_seconds": [6.2, 1.4, 1.3],
    "cpu_epoch_seconds": 11.8,
    "speedup": 9.1,
    "peak_memory_mb": 812.0,
    "course": [
        {"step": n * 10, "loss": 2.3 * math.exp(-n / 20), "accuracy": 1 - 0.9 * math.exp(-n / 15)}
        for n in range(1, 90)
    ],
    "last_lines": [],
}


@functools.cache
def known() -> Any:
    return load_facts()


def examined(world: World) -> tuple[Checkup, dict[str, Any]]:
    """Return the check-up of a world and its redacted recording."""
    recording = Recording(world)
    checkup = check(read_survey(recording), known())
    return checkup, json.loads(json.dumps(redact_all(recording.document())))


def world(name: str) -> World:
    return load(MACHINES / name / "machine.json")


def plain(name: str) -> Material:
    """Return a report of a recorded machine and nothing else."""
    checkup, document = examined(world(name))
    return Material(checkup, document, "2026-05-20 12:00+08:00")


def tree() -> Trace:
    def node(name: str, by: str | None, *, there: bool = True, **more: Any) -> Node:
        found = Found(
            f"{SITE}\\{name}" if there else None, "own-folder" if there else None, ("C:\\one", "C:\\two")
        )
        return Node(name, by, "import", found, **more)

    nodes = (
        node("_pywrap_tensorflow_internal.pyd", None),
        node("tensorflow_framework.dll", "_pywrap_tensorflow_internal.pyd"),
        node("cudart64_110.dll", "tensorflow_framework.dll", version="11.8.89"),
        node("cudnn64_8.dll", "tensorflow_framework.dll", there=False),
        node("nvinfer.dll", "tensorflow_framework.dll", there=False, feature="TensorRT"),
    )
    return Trace((nodes[0].name,), nodes, loads_known=True)


def samples() -> list[dict[str, Any]]:
    def sample(n: int) -> dict[str, Any]:
        wave = 50 + 45 * math.sin(n / 9)
        card = {
            "index": 0, "name": "NVIDIA GeForce RTX 3060", "sm_percent": wave, "memory_busy_percent": wave / 2,
            "memory_used_mib": 4000 + n * 20, "power_w": {"unknown": "not told"} if 40 < n < 60 else 60 + wave,
            "temperature_c": 50 + n / 10,
        }  # fmt: skip
        host = {"cpu_percent": 100 - wave, "disk_busy_percent": {"unknown": "not told"}}
        time = f"2026-05-03T10:{n // 60:02}:{n % 60:02}.000Z"
        return {"schema": "trueup.watch/1", "time": time, "elapsed_s": n, "gpus": [card], "host": host}

    return [sample(n) for n in range(200)]


def entries() -> tuple[Entry, Entry]:
    base = Entry("check", "aligned", Reach.CARD, "tensorflow", "m", "e", "D:\\project\\.venv", {})
    first = replace(base, first=1777800000, last=1777800000, ident=1, times=4)
    second = replace(
        base, verdict="not-aligned", reach=Reach.NO, cause="driver-too-old-for-cuda", first=1779200000,
        last=1779200000, ident=2,
    )  # fmt: skip
    return first, second


def whole(name: str = ENDED) -> Material:
    """Return a report with everything in it."""
    material = plain(name)
    good, bad = entries()
    old = examined(world(GOOD))[0]
    before = flatten(old.survey, old.subject, world(GOOD))
    now = flatten(material.checkup.survey, material.checkup.subject, world(name))
    return replace(
        material,
        proof=PROOF,
        trace=tree(),
        samples=samples(),
        verdict={"schema": "trueup.watch-verdict/1", "text": "The input pipeline held the training back"},
        skipped=2,
        entries=[bad, good],
        good=good,
        changes=compare(before, now),
    )


HOSTILE = "<script>alert(1)</script>\"'&]]><!--"


def hostile() -> Material:
    """Return a report of a machine whose every name is an attack."""
    data = json.loads(json.dumps(dict(world(GOOD).data)))
    data["nvml"]["devices"][0]["name"] = HOSTILE
    data["env"]["CUDA_PATH"] = HOSTILE
    data["env"]["PATH"] += f";C:\\{HOSTILE}"
    data["packages"]["D:\\project\\.venv\\Lib\\site-packages"].append(f"{HOSTILE.replace('/', '')}-1.0")
    checkup, document = examined(World(data))
    good, bad = entries()
    named = dict.fromkeys(("text", "date", "framework", "python", "outcome", "expected"), HOSTILE)
    proof = {**PROOF, **named, "gpus": [HOSTILE], "last_lines": [HOSTILE, "</script>"]}
    sample = {**samples()[0], "gpus": [{**samples()[0]["gpus"][0], "name": HOSTILE}]}
    node = Node(HOSTILE, None, "import", Found(HOSTILE, "own-folder"))
    return Material(
        checkup,
        document,
        HOSTILE,
        proof=proof,
        trace=Trace((HOSTILE,), (node,), loads_known=True),
        samples=[sample],
        verdict={"text": HOSTILE},
        entries=[replace(bad, cause=HOSTILE), replace(good, place=HOSTILE)],
        good=good,
        changes=compare({"card/cards": []}, {"card/cards": [HOSTILE]}),
    )
