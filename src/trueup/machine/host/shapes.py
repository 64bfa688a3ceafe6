"""The shape of each recorded answer: a recording may have been edited, or cut when it was pasted."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def fits(question: str, answer: Any) -> bool:
    """Tell whether an answer is one that the question can have."""
    shape = SHAPES.get(question)
    return shape is not None and shape(answer)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _texts(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(map(_text, value))


def _named_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


def _numbers(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_number, value.values()))


def _bytes(value: Any) -> bool:
    try:
        return _text(value) and base64.b64decode(value, validate=True) is not None
    except (binascii.Error, ValueError):
        return False


def _run(value: Any) -> bool:
    words = isinstance(value, dict) and set(value) <= {"code", "out", "err"} and {"code", "out"} <= set(value)
    return words and _number(value["code"]) and _text(value["out"]) and _text(value.get("err", ""))


def _registry(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return all(_text(one) or _number(one) or _texts(one) for one in value.values())


def _failure(value: Any) -> bool:
    """Tell whether a value is NVML's way to say no."""
    error = value.get("error") if isinstance(value, dict) else None
    return isinstance(error, dict) and _number(error.get("code")) and _text(error.get("text"))


def _nvml(value: Any) -> bool:
    if _failure(value):
        return True
    if not isinstance(value, dict) or not {"driver", "cuda", "devices"} <= set(value):
        return False
    devices = value["devices"]
    listed = isinstance(devices, list) and all(_failure(one) or _device(one) for one in devices)
    said = (
        _text(value["driver"]) or _failure(value["driver"]),
        _number(value["cuda"]) or _failure(value["cuda"]),
    )
    return all(said) and (listed or _failure(devices))


def _device(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    shapes = {
        "name": _text,
        "capability": _pair,
        "memory": _number,
        "pci": _number,
        "model": _number,
        "mig": _number,
    }
    later = {"slices": _number, "uuid": _text, "free": _number, "mode": _number}
    asked = shapes | {name: shape for name, shape in later.items() if name in value}
    return all(
        name in value and (shape(value[name]) or _failure(value[name])) for name, shape in asked.items()
    )


def _pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(map(_number, value))


def _or_none(shape: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or shape(value)


SHAPES: Mapping[str, Callable[[Any], bool]] = {
    "system": _named_texts,
    "read_text": _or_none(_text),
    "read_head": _or_none(_bytes),
    "size": _or_none(_number),
    "list_dir": _or_none(_texts),
    "match": _or_none(_texts),
    "real_path": _text,
    "disk_free": _number,
    "run": _or_none(_run),
    "registry_values": _or_none(_registry),
    "registry_keys": _or_none(_texts),
    "file_version": _or_none(_text),
    "cpu_features": _texts,
    "memory": _numbers,
    "nvml": _nvml,
}
