"""Every sentence that an answer can contain. Run it to write the snapshots anew."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

from fit_world import LINUX, READY, WINDOWS, WORLD, World, build, machine

from trueup.facts import load
from trueup.facts.model import CudaFrom, GpuCode
from trueup.fit.model import Wish
from trueup.fit.solve import solve
from trueup.machine.describe import parse
from trueup.machine.model import Gpu
from trueup.report.say import catalog, say
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.fit.knowledge import Knowledge
    from trueup.fit.model import Alignment, Solution

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
    ({"os": "windows", "arch": "x86"}, ("tensorflow",), {}, WORLD),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tensorflow", "numpy>=2", "python==3.8.*"), {}, UNREAD),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tensorflow==2.10.*", "tftext==2.20.*"), {}, WORLD),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tensorflow", "addons", "python==3.8.*"), {}, WORLD),
    (machine(WINDOWS, "Intel(R) HD Graphics 4000"), ("tensorflow",), {}, WORLD),
    (machine(WINDOWS, "GRID T4-2B", driver="536.67"), ("tensorflow",), {}, load()),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tftext",), {}, WORLD),
    (machine(WINDOWS, "RTX 3060", driver="536.67"), ("tftext==2.11",), {}, WORLD),
    ({**machine(WINDOWS, "NVIDIA RTX Spark", driver="620.14"), "arch": "arm64"}, ("torch",), {}, load()),
)


# What fills the places of the templates: the facts change, the sentences should not.
SAMPLES: dict[str, str | int] = {
    "architecture": "Kepler", "arch": "aarch64", "asked": "tensorflow==2.15.*", "branch": 470,
    "cap": "numpy<2", "capability": "8.6", "card": "RTX 3060", "cards": "GTX 980", "chips": "Ivy Bridge", "change": "@fit.do-enable-wsl2",
    "changes": "enable WSL2", "column": 7, "command": "wsl --install -d Ubuntu", "count": 2, "cuda": "11.2",
    "cudnn": "8.1", "disk": "4.4", "distro": "Ubuntu", "download": "2.3", "driver": "536.67", "example": "3.10",
    "expected": "@describe.expect-driver", "features": "avx", "first": "11.8", "flag": "--gpu", "found": "5",
    "framework": "tensorflow", "free": "2.0", "gigabytes": "4.9", "has": "451.67", "key": "driver", "keys": "os, arch",
    "kinds": "3.5, 3.0", "knows": "12.2", "last": "2.10.1", "least": "452.39", "limit": "numpy<2", "line": 3,
    "listed": "GeForce GTX 9xx", "missing": "avx", "name": "tensorfow", "names": "tensorflow, torch", "needs": "4.9",
    "os": "@fit.os-windows", "other": "torch 2.0.1", "other_cuda": "11.7", "other_cudnn": "8.5.0.96", "others": "3.11",
    "newest": "2.21.1", "package": "cuda-compat-12-5", "path": "machine.json", "ptx": "8.0", "python": "3.9", "pythons": "3.9, 3.10",
    "reason": "No such file", "rival": "numpy>=2", "route": "@fit.route-wsl2", "sass": "6.0, 7.0", "series": "Q, C", "served": "RTX 4090",
    "text": "tensorflow=2.10", "version": "2.10.1",
}  # fmt: skip
ROOMS = ("fit", "solve", "describe")


def sentences(lang: str) -> dict[str, str]:
    """Return code to sentence, for every template of the rooms."""
    said = {}
    for room in ROOMS:
        for name, template in catalog(lang, room).items():
            params = {place: SAMPLES[place] for _, place, _, _ in Formatter().parse(template) if place}
            said[f"{room}.{name}"] = say(Message(f"{room}.{name}", params), lang)
    return said


def said_codes() -> set[str]:
    """Return the codes of everything that is said of the machines here and in the scenarios, in both languages."""
    codes = set()
    for solution in _solutions():
        for message in _messages(solution):
            codes.add(message.code)
            for lang in LANGUAGES:
                say(message, lang)
    return codes


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
    for language in LANGUAGES:
        text = json.dumps(sentences(language), ensure_ascii=False, indent=1)
        snapshot(language).write_text(text + "\n", "utf-8")
    sys.stdout.write("written\n")
