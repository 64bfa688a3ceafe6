"""The child's answers, checked: a line that is not as agreed is no answer."""

from __future__ import annotations

import json
from typing import Any, Final

NUMBER: Final = (int, float)
STRINGS: Final = "strings"
PAIRS: Final = "pairs"
NUMBERS: Final = "numbers"
NONE: Final = type(None)

# Each event's fields, and what they hold.
FIELDS: Final[dict[str, dict[str, Any]]] = {
    "phase": {"phase": (str,)},
    "python": {"version": (str,), "executable": (str,)},
    "versions": {"versions": PAIRS},
    "devices": {"gpus": STRINGS, "build": PAIRS, "hidden": (str, NONE)},
    "data": {"data": (str,), "train": (int,), "test": (int,), "seconds": NUMBER},
    "placement": {"variables": STRINGS, "results": STRINGS, "kernels": STRINGS},
    "step": {
        "device": (str,),
        "epoch": (int,),
        "epochs": (int,),
        "step": (int,),
        "steps": (int,),
        "loss": NUMBER,
        "accuracy": NUMBER,
    },
    "epoch": {"device": (str,), "epoch": (int,), "seconds": NUMBER},
    "accuracy": {"accuracy": NUMBER},
    "memory": {"device": (str,), "peak_mb": (*NUMBER, NONE)},
    "agreement": {"operation": (str,), "error": NUMBER, "tolerance": NUMBER},
    "setting": {"name": (str,), "value": (str,)},
    "begin": {"name": (str,)},
    "figure": {"name": (str,), "unit": (str,), "amount": NUMBER, "seconds": NUMBERS, "detail": PAIRS},
    "passed-over": {"name": (str,), "kind": (str,), "text": (str,)},
    "trial": {"batch": (int,), "seconds": NUMBERS, "peak_mb": (*NUMBER, NONE), "detail": PAIRS},
    "stopped": {"kind": (str,), "text": (str,)},
    "done": {},
}
PHASES: Final = ("import", "devices", "data", "train", "compare", "measure")
STOPS: Final = ("not-installed", "import-error", "no-gpu", "no-data", "failed", "out-of-memory", "bad-model")
KINDS: Final = {
    "stopped": STOPS,
    "passed-over": ("no-device", "no-hardware", "not-offered", "no-time", "out-of-memory", "failed"),
}


class NotAnAnswer(Exception):  # noqa: N818  # its text is the line
    """A line on the channel that nothing of ours wrote."""


def read(line: str) -> dict[str, Any]:
    """Return a checked answer."""
    try:
        answer = json.loads(line)
    except ValueError:
        raise NotAnAnswer(line) from None
    if not isinstance(answer, dict) or not _fits(answer):
        raise NotAnAnswer(line)
    return answer


def _fits(answer: dict[str, Any]) -> bool:
    event = answer.get("event")
    fields = FIELDS.get(event) if isinstance(event, str) else None
    if fields is None or set(answer) != {*fields, "event"}:
        return False
    if answer.get("phase", PHASES[0]) not in PHASES:
        return False
    if event in KINDS and answer["kind"] not in KINDS[str(event)]:
        return False
    return all(_holds(answer[name], wanted) for name, wanted in fields.items())


def _holds(value: Any, wanted: Any) -> bool:
    if wanted == STRINGS:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if wanted == NUMBERS:
        return isinstance(value, list) and all(_holds(item, NUMBER) for item in value)
    if wanted == PAIRS:
        return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return isinstance(value, wanted) and not isinstance(value, bool)
