"""One trial of a batch: import, build, a few steps of training. Out of memory is an answer of its own."""

import importlib
import importlib.util
import inspect
import json
import os
import time
import traceback
from typing import Any, Dict, List

from . import memory
from .channel import Channel
from .course import Stop, begun, told, words

STEPS, MOST = 5, 6.0  # steps that are timed, and the seconds that they may take together


def run(args: List[str]) -> int:
    path, expected, text, framework = args
    os.environ["KERAS_HOME"] = os.path.dirname(path)
    channel = Channel(path)
    options: Dict[str, Any] = json.loads(text)
    return told(channel, lambda: _bounded(channel, expected, options, framework), telling)


def _bounded(channel: Channel, expected: str, options: Dict[str, Any], framework: str) -> None:
    try:
        _course(channel, expected, options, framework)
    except MemoryError as error:
        raise Stop("out-of-memory", words(error)) from None


def _course(channel: Channel, expected: str, options: Dict[str, Any], framework: str) -> None:
    begun(channel, framework, expected)
    channel.say("phase", phase="measure")
    adapter = importlib.import_module(".trial_" + framework, __package__)
    trial = adapter.Trial(expected, options)
    make = _own(options["model"]) if options["model"] else None
    before = memory.resident() or 0.0
    if expected == "cpu":
        memory.bound(options["cap_mb"], lambda: _over(channel, options["cap_mb"]))
    try:
        seconds = _steps(trial, make)
    except Exception as error:
        if trial.out_of_memory(error):
            raise Stop("out-of-memory", telling(error)) from None
        raise
    took = memory.peak() if expected == "cpu" else None
    peak = trial.peak_mb() if took is None else round((took - before) / memory.MB, 1)
    channel.say("trial", batch=options["batch"], seconds=seconds, peak_mb=peak, detail=trial.detail())


def _steps(trial: Any, make: Any) -> List[float]:
    trial.build(make)
    trial.step()  # loads libraries, traces the step
    seconds: List[float] = []
    while len(seconds) < STEPS and (not seconds or sum(seconds) < MOST):
        begin = time.perf_counter()
        trial.step()
        seconds.append(time.perf_counter() - begin)
    return seconds


def telling(error: BaseException) -> str:
    """Return an error's words; of a graph's error, whose head is a stack, the line that names the reason."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if not lines or not lines[0].startswith("Graph execution error"):
        return words(error)
    for place, line in enumerate(lines[1:], 1):
        if "{{node" in line:
            reason = lines[place - 1] if line.startswith("[[") or line.count(" ") < 2 else line
            return (type(error).__name__ + ": " + reason)[:500]
    return (type(error).__name__ + ": " + lines[-1])[:500]


def _over(channel: Channel, megabytes: float) -> None:
    """End at once: another look could be one too late."""
    channel.say("stopped", kind="out-of-memory", text="more than {:.0f} MB".format(megabytes))
    os._exit(1)


def _own(name: str) -> Any:
    """Return the user's own function of `FILE.py:function`."""
    path, _, function = name.rpartition(":")
    try:
        spec = importlib.util.spec_from_file_location("_trueup_model", path)
        if spec is None or spec.loader is None:
            raise ImportError(path)  # noqa: TRY301  # the one place that words it
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        made = getattr(module, function)
    except Exception as error:  # noqa: BLE001  # it is the user's own file
        traceback.print_exc()
        raise Stop("bad-model", words(error)) from None

    def make(side: int) -> Any:
        try:
            return made(side) if inspect.signature(made).parameters else made()
        except MemoryError:
            raise
        except Exception as error:
            if "memory" in str(error).lower() or "OOM" in str(error):
                raise
            traceback.print_exc()
            raise Stop("bad-model", words(error)) from None

    return make
