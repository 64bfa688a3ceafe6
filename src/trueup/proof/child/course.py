"""The course of a proof: import, devices, data, train, compare. What goes wrong is said in words of its own."""

import importlib
import importlib.util
import os
import platform
import sys
import time
import traceback
from typing import Any, Callable, List

from .channel import Channel

BATCH = 128
TRAIN, TEST = 9600, 2000
SEED = 20
# Of the largest value of the CPU's result; with 32-bit arithmetic, TF32 switched off.
TOLERANCE = 1e-3


class Stop(Exception):  # noqa: N818  # the end of the course, not always an error
    """The course ends here: `kind` says why."""

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(text)
        self.kind = kind


def run(args: List[str]) -> int:
    path, expected, data, epochs, framework = args
    if data == "drawn":  # importing Keras makes a folder in the home; only MNIST is worth keeping there
        os.environ["KERAS_HOME"] = os.path.dirname(path)
    channel = Channel(path)
    return told(channel, lambda: _course(channel, expected, data, int(epochs), framework))


def words(error: BaseException) -> str:
    """Return what an error says, in one text."""
    return (type(error).__name__ + ": " + str(error)).strip()[:2000]


def told(channel: Channel, act: Callable[[], None], say: Callable[[BaseException], str] = words) -> int:
    """Go a course to its end, and tell how it ended. Returns the exit status."""
    try:
        act()
    except Stop as stop:
        channel.say("stopped", kind=stop.kind, text=str(stop))
        return 1
    except Exception as error:  # noqa: BLE001  # whatever it is, it is the answer
        traceback.print_exc()
        channel.say("stopped", kind="failed", text=say(error))
        return 1
    channel.say("done")
    return 0


def _course(channel: Channel, expected: str, data: str, epochs: int, framework: str) -> None:
    network = begun(channel, framework, expected)
    device = ready(network, expected)
    channel.say("phase", phase="data")
    pictures = _data(channel, network, data)
    channel.say("phase", phase="train")
    _train(channel, network, device, pictures, epochs)
    if device != network.CPU:
        channel.say("phase", phase="compare")
        _compare(channel, network, device, pictures)


def begun(channel: Channel, framework: str, expected: str) -> Any:
    """Import the framework and tell its devices. Raises Stop where the announced kind is not among them."""
    channel.say("phase", phase="import")
    network = _import(channel, framework)
    channel.say("phase", phase="devices")
    tell_devices(channel, network, expected)
    return network


def tell_devices(channel: Channel, network: Any, expected: str) -> None:
    gpus = listed(network, expected)
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    channel.say("devices", gpus=gpus, build=network.build(), hidden=hidden)
    if expected != "cpu" and not gpus:
        raise Stop("no-gpu")


def ready(network: Any, expected: str) -> str:
    """Prepare the announced device and return its name."""
    network.prepare(expected)
    return str(network.CPU if expected == "cpu" else network.GPU)


def _import(channel: Channel, framework: str) -> Any:
    channel.say("python", version=platform.python_version(), executable=sys.executable)
    if importlib.util.find_spec(framework) is None:
        raise Stop("not-installed", framework)
    try:
        importlib.import_module(framework)
        adapter = importlib.import_module("." + framework + "_", __package__)
        network = adapter.Network(SEED, BATCH)
    except Exception as error:  # noqa: BLE001  # an old release meets a new package in many ways
        traceback.print_exc()
        raise Stop("import-error", words(error)) from None
    channel.say("versions", versions=network.versions())
    return network


def listed(network: Any, expected: str) -> List[str]:
    """Return the devices of the announced kind: a card that DirectML reaches is no proof of CUDA, nor the reverse."""
    if expected == "cpu":
        return []
    return list(network.directml() if expected == "directml" else network.gpus())


def _data(channel: Channel, network: Any, data: str) -> Any:
    start = time.time()
    if data == "drawn":
        digits = importlib.import_module(".digits", __package__)
        train, test = digits.draw(TRAIN, SEED), digits.draw(TEST, SEED + 1)
    else:
        try:
            train, test = network.mnist()
        except Exception as error:  # noqa: BLE001  # no network, a proxy, a broken file: all the same here
            traceback.print_exc()
            raise Stop("no-data", words(error)) from None
    seconds = round(time.time() - start, 2)
    channel.say("data", data=data, train=len(train[0]), test=len(test[0]), seconds=seconds)
    return train, test


def _train(channel: Channel, network: Any, device: str, pictures: Any, epochs: int) -> None:
    train, test = pictures
    network.build_on(device)
    channel.say("placement", **network.placement(train, device))
    steps = -(-len(train[0]) // BATCH)

    def progress(epoch: int, step: int, loss: float, accuracy: float) -> None:
        channel.step(
            device=device, epoch=epoch, epochs=epochs, step=step, steps=steps, loss=loss, accuracy=accuracy
        )

    for epoch in range(1, epochs + 1):
        start = time.time()
        network.epoch(train, epoch, progress)
        channel.say("epoch", device=device, epoch=epoch, seconds=round(time.time() - start, 3))
    channel.say("accuracy", accuracy=network.accuracy(test))
    channel.say("memory", device=device, peak_mb=network.peak_mb(device))


def _compare(channel: Channel, network: Any, device: str, pictures: Any) -> None:
    for name, error in network.differences(device):
        channel.say("agreement", operation=name, error=error, tolerance=TOLERANCE)
    train = pictures[0]
    some = (train[0][: BATCH * 10], train[1][: BATCH * 10])
    steps = -(-len(train[0]) // BATCH)

    def progress(epoch: int, step: int, loss: float, accuracy: float) -> None:
        values = {"device": network.CPU, "epoch": epoch, "epochs": 1, "step": step, "steps": steps}
        channel.step(loss=loss, accuracy=accuracy, **values)

    network.build_on(network.CPU)
    network.epoch(some, 1, lambda *_: None)  # traces the step, which no later epoch has to
    start = time.time()
    network.epoch(train, 1, progress)
    channel.say("epoch", device=network.CPU, epoch=1, seconds=round(time.time() - start, 3))
