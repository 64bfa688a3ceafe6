"""The course of a bench: import, devices, then one figure after the other. A figure that fails is told, the rest goes on."""

import importlib
import os
import time
from typing import Any, Callable, Dict, Iterator, List, Tuple

from .channel import Channel
from .course import BATCH, SEED, begun, ready, told, words
from .timing import NotOffered, repeat

PICTURES = 2560
ROOF = 0.75  # of the seconds given: after that only what is left out is told

# A run, how much one run does (operations, bytes, images), and what must be known beside it.
Made = Tuple[Callable[[], Any], float, Dict[str, str]]


def run(args: List[str]) -> int:
    path, expected, seconds, framework = args
    os.environ["KERAS_HOME"] = os.path.dirname(path)
    channel = Channel(path)
    folder = os.path.dirname(path)
    return told(channel, lambda: _course(channel, expected, float(seconds), framework, folder))


def _course(channel: Channel, expected: str, seconds: float, framework: str, folder: str) -> None:
    network = begun(channel, framework, expected)
    device = ready(network, expected)
    channel.say("phase", phase="measure")
    adapter = importlib.import_module(".bench_" + framework, __package__)
    bench = adapter.Bench(device, folder)
    channel.say("setting", name="tf32", value=bench.tf32())
    _measure(channel, bench, _figures(bench, network, device), seconds)


def _figures(bench: Any, network: Any, device: str) -> Iterator[Any]:
    yield from bench.figures()
    yield "network", "image", lambda: _network(network, device)


def _network(network: Any, device: str) -> Made:
    digits = importlib.import_module(".digits", __package__)
    train = digits.draw(PICTURES, SEED)
    network.build_on(device)
    network.epoch(train, 1, lambda *_: None)  # traces the step, which no later epoch has to
    detail = {"batch": str(BATCH), "pictures": str(PICTURES)}
    return lambda: network.epoch(train, 1, lambda *_: None), float(PICTURES), detail


def _measure(channel: Channel, bench: Any, figures: Iterator[Any], seconds: float) -> None:
    begin = time.time()
    for name, unit, make in figures:
        if time.time() - begin > ROOF * seconds:
            channel.say("passed-over", name=name, kind="no-time", text="")
            continue
        channel.say("begin", name=name)
        try:
            run_, amount, detail = make()
            taken = repeat(run_, bench.wait)
        except NotOffered as why:
            channel.say("passed-over", name=name, kind=why.kind, text=str(why))
            continue
        except Exception as error:  # noqa: BLE001  # a kernel that a build lacks fails in many ways
            kind = "out-of-memory" if bench.out_of_memory(error) else "failed"
            channel.say("passed-over", name=name, kind=kind, text=words(error)[:300])
            continue
        channel.say("figure", name=name, unit=unit, amount=amount, seconds=taken, detail=detail)
