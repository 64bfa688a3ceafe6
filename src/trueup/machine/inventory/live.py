"""Imports a framework in its own environment, in a child that may crash or hang, and asks for its devices."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trueup.machine.host import HostError

if TYPE_CHECKING:
    from trueup.machine.host import Host, RunResult
    from trueup.machine.inventory.model import Environment

SECONDS = 600.0  # a cold disk, a virus scanner, two cores under load: 300 were not enough once
MARK = "TRUEUP-LIVE "
LINES = 15
# runs on every Python from 3.6 on, with nothing but the framework
_ASK = """
import json, sys
def tensorflow():
    import tensorflow as tf
    return tf.__version__, [d.name for d in tf.config.list_physical_devices("GPU")]
def torch():
    import torch
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    return torch.__version__, [torch.cuda.get_device_name(n) for n in range(count)]
def jax():
    import jax
    return jax.__version__, [str(d) for d in jax.devices() if d.platform not in ("cpu", "interpreter")]
def onnxruntime():
    import onnxruntime as ort
    return ort.__version__, [p for p in ort.get_available_providers() if p[:3] in ("CUD", "Dml", "Ten")]
def paddlepaddle():
    import paddle
    return paddle.__version__, ["gpu:%d" % n for n in range(paddle.device.cuda.device_count())]
version, devices = globals()[sys.argv[1]]()
print("\\n" + sys.argv[2] + json.dumps({"version": str(version), "devices": devices}))
"""

Outcome = Literal["listed", "none", "failed", "crashed", "hung"]


@dataclass(frozen=True, slots=True)
class Live:
    """What happened. `lines` are the last that the framework printed, `log` all of them."""

    framework: str
    environment: str
    outcome: Outcome
    devices: tuple[str, ...] = ()
    status: int | None = None
    lines: tuple[str, ...] = ()
    log: str = ""


def ask_live(host: Host, environment: Environment, framework: str) -> Live:
    path = environment.python.path or "python"
    try:
        result = host.run([path, "-c", _ASK, framework, MARK], SECONDS)
    except HostError as error:
        hung = error.why.code == "machine.timed-out"
        return Live(framework, environment.path, "hung" if hung else "failed", lines=(str(error),))
    if result is None:
        return Live(framework, environment.path, "failed", lines=(path,))
    return parse_live(framework, environment.path, result)


def parse_live(framework: str, environment: str, result: RunResult) -> Live:
    said = [line for line in result.out.splitlines() if line.startswith(MARK)]
    log = "\n".join([*(line for line in result.out.splitlines() if line not in said), result.err])
    last = tuple(line for line in log.splitlines() if line.strip())[-LINES:]
    if not said:
        # a Python that meets an exception ends with 1; anything else is the system's doing
        outcome: Outcome = "failed" if result.code == 1 else "crashed"
        return Live(framework, environment, outcome, status=result.code, lines=last, log=log)
    devices = tuple(str(one) for one in json.loads(said[-1].removeprefix(MARK))["devices"])
    return Live(framework, environment, "listed" if devices else "none", devices, result.code, last, log)
