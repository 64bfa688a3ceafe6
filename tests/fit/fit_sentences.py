"""Every sentence that an answer can contain, as it was said for a machine. Run it to write the snapshots anew."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fit_world import LINUX, READY, WINDOWS, WORLD, World, build, machine

from trueup.facts import load
from trueup.facts.model import CudaFrom, GpuCode
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.describe import parse
from trueup.machine.model import Gpu
from trueup.report.say import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Alignment, Solution
    from trueup.values import Message

HERE = Path(__file__).parent
LANGUAGES = ("en", "zh_CN")
UNREAD = World({"tensorflow": (build("tensorflow", "2.10.1", code=GpuCode(known=False)),)})
OLD = World({"tensorflow": (build("tensorflow", "2.10.1", library_code=GpuCode(known=False)),)})
TWO = World({
    "tensorflow": (build("tensorflow", "2.10.1", pythons=("3.8",), caps=("numpy<2",)),),
    "torch": (build("torch", "2.14.0", pythons=("3.11",), cudnn=None, cuda=None),),
    "jax": (build("jax", "0.7.1", pythons=("3.8",), caps=("numpy>=2",), cudnn=None, cuda=None),),
})  # fmt: skip
WHEELS = World({
    "tensorflow": (build("tensorflow", "2.20.0", platform="linux", cuda="12.5", cudnn="9.3", cuda_from=CudaFrom.DEPENDENCY),),
    "torch": (build("torch", "2.14.0", platform="linux", cuda="13.0", cudnn="9.20.0.48", cuda_from=CudaFrom.DEPENDENCY),),
})  # fmt: skip
# Machines and wishes that the scenarios beside this file do not have.
MORE: tuple[tuple[dict[str, Any], tuple[str, ...], dict[str, Any], Knowledge], ...] = (
    (machine(WINDOWS, "GT 7x0", driver="536.67"), ("tensorflow",), {}, WORLD),
    (machine(WINDOWS, "Strange Card"), ("tensorflow",), {}, WORLD),
    (
        machine(WINDOWS, "RTX 3060", driver="536.67", wsl={"distros": ["Ubuntu"]}),
        ("tensorflow>=2.11",),
        {},
        WORLD,
    ),
    (machine(WINDOWS, "RTX 3060", driver="536.67", wsl={"version": 1}), ("tensorflow>=2.11",), {}, WORLD),
    (machine(WINDOWS, "GTX 980", driver="536.67", wsl=READY), ("tensorflow",), {"routes": ("wsl2",)}, WORLD),
    (machine(LINUX), ("tensorflow",), {"gpu_required": True}, WORLD),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("torch[cuda10]",), {}, WORLD),
    (machine(WINDOWS, "RTX 2060", driver="536.67"), ("tensorflow",), {}, UNREAD),
    (machine(WINDOWS, "H100", driver="536.67"), ("tensorflow",), {}, OLD),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tensorflow", "torch"), {}, TWO),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tensorflow", "jax"), {}, TWO),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tensorflow==2.99", "python==3.14.*"), {}, WORLD),
    ({**machine(WINDOWS, "Radeon RX 6800"), "os_build": "10.0.15063"}, ("tensorflow",), {}, WORLD),
    (machine(LINUX, "RTX 3060", driver="591.44"), ("tensorflow", "torch"), {}, WHEELS),
    ({"os": "linux"}, ("tensorflow",), {"routes": ("cpu",)}, WORLD),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tensorflow", "numpy>=2", "python==3.8.*"), {}, UNREAD),
)


def sentences() -> dict[str, dict[str, str]]:
    """Return language to code to the first sentence that was said by it."""
    said: dict[str, dict[str, str]] = {lang: {} for lang in LANGUAGES}
    for solution in _solutions():
        for message in _messages(solution):
            for lang in LANGUAGES:
                said[lang].setdefault(message.code, say(message, lang))
    return {lang: dict(sorted(found.items())) for lang, found in said.items()}


def _solutions() -> Iterator[Solution]:
    for line in (HERE / "scenarios.jsonl").read_text("utf-8").splitlines():
        scenario = json.loads(line)
        yield solve(Wish(tuple(scenario["want"])), parse(scenario["machine"]), load())
    for described, want, wish, facts in MORE:
        yield solve(Wish(want, **wish), parse(described), facts)
    strange = replace(parse(machine(WINDOWS, "RTX 3060")), driver="N/A")
    tesla = parse(machine(WINDOWS, "RTX 3060", driver="536.67", wsl=READY))
    tcc = replace(tesla, gpus=(Gpu("RTX 3060", model="TCC"),))
    yield solve(Wish(("tensorflow",)), strange, WORLD)
    yield solve(Wish(("tensorflow",)), tcc, WORLD)
    bare = replace(parse(machine(WINDOWS, "RTX 3060", driver="536.67")), vc_runtime=None)
    yield solve(Wish(("torch",)), bare, WORLD)


def _messages(solution: Solution) -> Iterator[Message]:
    yield from (*solution.assumptions, *solution.notes)
    for alignment in (solution.best, *solution.beside, *solution.alternatives):
        if alignment:
            yield from _of(alignment)
    for rejection in solution.rejected:
        for verdict in rejection.reasons:
            yield verdict.text
            if verdict.change:
                yield verdict.change.text


def _of(alignment: Alignment) -> Iterator[Message]:
    yield from (alignment.binding, *alignment.notes)
    yield from (change.text for change in alignment.changes)


def snapshot(lang: str) -> Path:
    return HERE / f"sentences.{lang}.json"


if __name__ == "__main__":
    for language, found in sentences().items():
        snapshot(language).write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    sys.stdout.write("written\n")
