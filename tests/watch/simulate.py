"""A model of trainings, for the classifier: what a sampler would see, with the cause known.

A step needs GPU time, and per batch: CPU time for its data, disk time, time on the link, and the main
thread's time to launch kernels. With prefetch these overlap and the longest rules; without they add up. From
the period follow the shares of SM, CPU, disk and link. Over the steps lie: imports and data loading at the
start, compiling, pauses at epoch ends with a checkpoint, clock and power of the card, noise, jitter of the
sampler, lost values, and what Windows does not tell. `Ranges` bound the draw; NARROW sets thresholds, WIDE
is what they are judged on: other cards, other machines, more noise, more pauses, other ratios.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any

from trueup.watch.classify import Point, Trace

Range = tuple[float, float]
CAUSES = (
    "healthy", "slow-disk", "input-all-cores", "input-one-core", "small-batch", "cpu-fallback",
    "crowded-cpu", "another-process", "ram-full", "battery", "heat", "power-cap", "narrow-link", "wddm-paging", "jit",
    "not-enough",
)  # fmt: skip


@dataclass(frozen=True)
class Class:
    """A card: power limit in W, PCIe generation and width, whether it sits in a laptop."""

    limit: float
    gen: int
    width: int
    laptop: bool = False


@dataclass(frozen=True)
class Ranges:
    classes: tuple[Class, ...]
    cores: tuple[int, ...]
    noise: Range
    pauses: Range  # share of the time at epoch ends
    ratio: Range  # what is slow, over GPU time
    rest: Range  # the same of what is not slow
    strong: Range  # power over what is possible, while large kernels run
    weak: Range  # while small ones run
    minutes: Range
    interval: Range
    lost: Range  # share of values that a sampler misses


NARROW = Ranges(
    classes=(Class(170, 4, 16), Class(60, 4, 8, laptop=True), Class(400, 4, 16)),
    cores=(6, 8, 16),
    noise=(0.02, 0.06),
    pauses=(0.0, 0.08),
    ratio=(2.0, 5.0),
    rest=(0.0, 0.1),
    strong=(0.55, 0.95),
    weak=(0.08, 0.28),
    minutes=(0.8, 2.0),
    interval=(1.0, 1.0),
    lost=(0.0, 0.03),
)
WIDE = Ranges(
    classes=(
        Class(75, 3, 16), Class(115, 4, 8), Class(450, 4, 16), Class(700, 5, 16),
        Class(35, 3, 4, laptop=True), Class(140, 4, 16, laptop=True), Class(170, 4, 16),
    ),
    cores=(4, 8, 12, 24, 64),
    noise=(0.01, 0.12),
    pauses=(0.0, 0.12),
    ratio=(1.8, 10.0),
    rest=(0.0, 0.15),
    strong=(0.5, 1.0),
    weak=(0.04, 0.3),
    minutes=(0.6, 4.0),
    interval=(0.5, 2.5),
    lost=(0.0, 0.12),
)  # fmt: skip
# Values without which a cause cannot be seen: these are kept, any other may be missing altogether.
NEEDED = {
    "slow-disk": {"disk_busy", "disk_read"},
    "another-process": {"others"},
    "ram-full": {"swap", "ram"},
    "battery": {"plugged"},
    "heat": {"hot", "clock"},
    "power-cap": {"capped", "clock"},
    "narrow-link": {"gen", "width", "gen_max", "width_max"},
    "wddm-paging": {"sent", "vram"},
    "jit": {"cache", "own", "cpu"},
    "cpu-fallback": {"cpu"},
    "input-one-core": {"cpu", "power"},
    "small-batch": {"cpu", "power"},
    "input-all-cores": {"host_cpu"},
    "crowded-cpu": {"host_cpu", "cpu"},
}
MISSABLE = ("access", "power", "clock", "hot", "capped", "received", "sent", "others", "own", "disk_busy",
            "swap", "plugged", "cache", "gen", "vram")  # fmt: skip


@dataclass(frozen=True)
class Load:
    """What one training is like, drawn from ranges. Times are per step, in units of the GPU's time."""

    card: Class
    cores: int
    wddm: bool
    overlap: bool
    cpu: float  # data, over all workers
    workers: int
    disk: float
    copy: float
    launch: float
    access: float  # share of the SM time in which memory is accessed, at full strength
    growth: float  # of the cache while kernels are compiled, MiB/s
    rest: float  # power with a context and no kernel, of the limit
    clock: float
    strength: float
    vram: float


def simulate(cause: str, seed: int, ranges: Ranges) -> Trace:
    """Return a trace whose cause is known."""
    draw = Random(f"{cause} {seed}")  # noqa: S311  # a model, no secret
    load = _load(cause, draw, ranges)
    noise, lost = draw.uniform(*ranges.noise), draw.uniform(*ranges.lost)
    phases = _phases(cause, draw, ranges)
    interval, at, points = draw.uniform(*ranges.interval), 0.0, []
    while at < sum(length for _, length in phases):
        point = _look(cause, draw, load, _phase(phases, at), at)
        points.append(_blurred(point, draw, noise, lost))
        at += interval * draw.uniform(0.9, 1.15)
    needed = NEEDED.get(cause, set())
    missing = {name for name in MISSABLE if name not in needed and draw.random() < 0.08}
    if {"power", "access"} <= missing:
        missing.discard("power")
    if load.wddm:
        missing |= {"others", "own"} - ({"own"} if cause == "jit" else set())
    gone: dict[str, Any] = dict.fromkeys(missing)
    found = tuple(replace(point, **gone) for point in points)
    return Trace(found, load.cores, card=True, wddm=load.wddm)


def _load(cause: str, draw: Random, ranges: Ranges) -> Load:
    card = draw.choice(ranges.classes)
    if cause == "battery":
        card = replace(card, laptop=True)
    cores = draw.choice(ranges.cores)

    def rest() -> float:
        return draw.uniform(*ranges.rest)

    slow = draw.uniform(*ranges.ratio)
    load = Load(
        card=card,
        cores=cores,
        wddm=cause == "wddm-paging" or (cause != "another-process" and draw.random() < 0.4),
        overlap=draw.random() < 0.7,
        cpu=rest(),
        workers=draw.choice((1, 2, 4)),
        disk=rest(),
        copy=rest() / 2,
        launch=rest(),
        access=draw.uniform(0.4, 0.9),
        growth=draw.uniform(0.15, 2.0),
        rest=draw.uniform(0.07, 0.2),
        clock=draw.uniform(0.7, 1.0),
        strength=draw.uniform(*ranges.strong),
        vram=draw.choice((draw.uniform(20, 90), draw.uniform(90, 98))),
    )
    if cause == "healthy" and load.overlap:  # workers may be as busy as they like while they keep up
        return replace(load, cpu=draw.uniform(0, 0.8) * cores, workers=cores)
    changes: dict[str, dict[str, object]] = {
        "slow-disk": {"disk": slow, "overlap": True},
        "input-all-cores": {"cpu": slow * cores, "workers": cores, "overlap": True},
        "input-one-core": {"cpu": slow, "workers": 1},
        "small-batch": {
            "launch": slow, "strength": draw.uniform(*ranges.weak), "overlap": True, "vram": draw.uniform(5, 60)
        },
        "crowded-cpu": {"cpu": slow, "workers": 1},
        "narrow-link": {"copy": slow},
        "wddm-paging": {"vram": draw.uniform(97, 99.9)},
        "ram-full": {"disk": slow},
        "heat": {"clock": draw.uniform(0.4, 0.8)},
        "power-cap": {"clock": draw.uniform(0.3, 0.58)},
        "battery": {"clock": draw.uniform(0.3, 0.9)},
    }  # fmt: skip
    return replace(load, **changes.get(cause, {}))  # type: ignore[arg-type]  # fields by name


def _phases(cause: str, draw: Random, ranges: Ranges) -> list[tuple[str, float]]:
    """Return (phase, seconds) from the program's start to its end."""
    start = [("import", draw.uniform(3, 10)), ("read", draw.uniform(0, 10))]
    train = draw.uniform(*ranges.minutes) * 60
    if cause == "not-enough":
        return [*start, ("train", draw.uniform(1, 9))]
    if cause == "cpu-fallback":
        return [*start, ("train", train)]
    first = ("jit", train * draw.uniform(0.4, 2.0) + 22) if cause == "jit" else ("first", draw.uniform(1, 8))
    epochs, pause = draw.randint(1, 8), draw.uniform(*ranges.pauses) * train
    body = []
    for _ in range(epochs):
        body += [("train", (train - pause) / epochs), ("pause", pause / epochs)]
    return [*start, first, *body]


def _phase(phases: list[tuple[str, float]], at: float) -> str:
    for name, length in phases:
        if at < length:
            return name
        at -= length
    return "train"


def _look(cause: str, draw: Random, load: Load, phase: str, at: float) -> Point:
    card, cores = load.card, load.cores
    calm = Point(
        at,
        sm=draw.uniform(0, 4), access=draw.uniform(0, 2), vram=draw.uniform(2, 8), limit=card.limit,
        power=card.limit * draw.uniform(0.05, 0.14), clock=draw.uniform(10, 60), hot=False, capped=False,
        gen=1, gen_max=card.gen, width=card.width, width_max=card.width, received=0.0, sent=0.0,
        own=phase not in {"import", "read"} and cause != "cpu-fallback", others=draw.uniform(0, 6),
        cpu=draw.uniform(90, 105), busiest=100, cache=40.0, ram=draw.uniform(20, 80), swap=0.0,
        host_cpu=min(100.0, 100 / cores + draw.uniform(1, 8)), disk_busy=draw.uniform(0, 20),
        disk_read=draw.uniform(0, 5), plugged=(cause != "battery") if card.laptop else None,
    )  # fmt: skip
    if phase in {"first", "jit", "pause"} and cause != "cpu-fallback":  # with a context the clocks stay up
        calm = replace(calm, power=card.limit * load.rest * draw.uniform(0.93, 1.07))
    if phase == "jit":
        return replace(calm, cache=40.0 + at * load.growth, vram=draw.uniform(5, 98))
    if phase == "read":
        return replace(calm, disk_busy=draw.uniform(20, 100), disk_read=draw.uniform(20, 500))
    if phase == "pause":
        return replace(calm, vram=load.vram, disk_busy=draw.uniform(10, 100), cpu=draw.uniform(20, 200))
    if phase != "train":
        return calm
    if cause == "cpu-fallback":
        share = draw.uniform(0.4, 1.0)
        return replace(calm, cpu=share * cores * 100, host_cpu=min(100.0, share * 100 + 5))
    return _training(cause, draw, load, calm)


def _training(cause: str, draw: Random, load: Load, calm: Point) -> Point:
    card, cores = load.card, load.cores
    data = load.cpu / max(1, min(load.workers, cores))
    parts = (1.0, data, load.disk, load.copy, load.launch)
    period = max(parts) if load.overlap else 1.0 + data + load.disk + load.copy
    period = max(period, load.launch) * draw.uniform(0.97, 1.1)
    sm = 100 / period
    foreign = draw.uniform(28, 60) if cause == "another-process" else draw.uniform(0, 10)
    narrow = cause == "narrow-link"
    width = 1 if narrow and card.width < 16 else draw.choice((1, 4)) if narrow else card.width
    gen = card.gen if not narrow or width == 1 else max(1, card.gen - draw.choice((0, 1)))
    link = {1: 250, 2: 500, 3: 985, 4: 1969, 5: 3938}[gen] * width
    own_cpu = (load.cpu + load.launch) / period * 100 + draw.uniform(5, 25)
    host_cpu = min(100.0, own_cpu / cores + draw.uniform(1, 10))
    if cause == "crowded-cpu":
        host_cpu, own_cpu = draw.uniform(88, 100), cores * draw.uniform(5, 35)
    paged = draw.uniform(2000, 6000) if cause == "wddm-paging" else link * draw.uniform(0, 0.01)
    power = card.limit * (load.rest + (1 - load.rest) * load.strength * sm / 100 * load.clock**0.5)
    hot = cause == "heat" and draw.random() < 0.8
    capped = draw.random() < 0.9 if cause == "power-cap" else (load.strength > 0.85 and draw.random() < 0.9)
    return replace(
        calm,
        sm=min(100.0, sm + (foreign if cause == "another-process" else 0)), access=sm * load.strength * load.access,
        vram=load.vram, power=min(card.limit, power), clock=100 * load.clock, hot=hot, capped=capped,
        gen=gen, width=width, received=link * 0.7 * load.copy / period + paged, sent=paged, others=foreign,
        cpu=own_cpu, busiest=own_cpu, host_cpu=host_cpu,
        disk_busy=min(100.0, 100 * load.disk / period + draw.uniform(0, 5)),
        disk_read=draw.uniform(8, 400) * min(1.0, load.disk), ram=draw.uniform(93, 99) if cause == "ram-full" else calm.ram,
        swap=draw.uniform(30, 300) if cause == "ram-full" else draw.uniform(0, 2),
    )  # fmt: skip


def _blurred(point: Point, draw: Random, noise: float, lost: float) -> Point:
    """Return the point as a sampler reads it: off by the noise, in whole percent, some values lost."""
    changes: dict[str, float | None] = {}
    for name in ("sm", "access", "power", "received", "sent", "cpu", "host_cpu", "disk_busy", "clock"):
        value = getattr(point, name)
        changes[name] = None if draw.random() < lost else max(0.0, value * draw.gauss(1, noise))
    for name in ("sm", "access", "host_cpu", "disk_busy", "clock"):
        value = changes[name]
        changes[name] = None if value is None else min(100.0, float(round(value)))
    return replace(point, **changes)  # type: ignore[arg-type]  # fields by name
