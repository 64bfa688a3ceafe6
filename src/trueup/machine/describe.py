"""A machine as a person writes it down: JSON to `Machine` with clear refusals, and back."""

from __future__ import annotations

import math
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn, get_args

from trueup.machine.model import NOT_READ, Gpu, Machine, Os, Python, Wsl
from trueup.values import Message, TrueupError, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_ARCHES = {
    "x86_64": "x86_64",
    "amd64": "x86_64",
    "x64": "x86_64",
    "arm64": "arm64",
    "aarch64": "aarch64",
    "x86": "x86",
    "i386": "x86",
    "i686": "x86",
}
FIRST_NT_BUILD = 2000  # below are the versions of Windows, above the builds
NT_LINES = (
    ("6.0", range(6000, 7000)),
    ("6.1", range(7000, 8000)),
    ("6.2", range(8000, 9300)),
    ("6.3", range(9300, 10000)),
    ("10.0", range(FIRST_NT_BUILD, 1 << 31)),
)
_NUMBER = r"\d+(\.\d+)*"


def parse(data: object) -> Machine:
    """Return the machine of a decoded JSON description; every key but `os` may be missing.

    Raises TrueupError that names the key and what it should hold.
    """
    if not isinstance(data, dict):
        _refuse("", "object", data)
    unknown = next((key for key in data if key not in _READERS), None)
    if unknown is not None:
        near = get_close_matches(str(unknown), _READERS, n=1)
        hint = (
            Message("describe.hint-near", {"key": near[0]})
            if near
            else Message("describe.hint-keys", {"keys": _keys()})
        )
        raise TrueupError(Message("describe.unknown-key", {"key": str(unknown)}), hint)
    if "os" not in data:
        raise TrueupError(
            Message("describe.no-os"), Message("describe.hint-os", {"names": ", ".join(get_args(Os))})
        )
    return Machine(**{key: _READERS[key](key, value) for key, value in data.items()})


def describe(machine: Machine) -> dict[str, Any]:
    """Return what `parse` reads back; what is unknown is left out."""
    out: dict[str, Any] = {"os": machine.os}
    for key in ("arch", "os_build", "driver", "libc", "glibc", "kernel", "disk_free_gb"):
        value = getattr(machine, key)
        if not isinstance(value, Unknown):
            out[key] = value
    if not isinstance(machine.gpus, Unknown):
        out["gpus"] = [_gpu_out(gpu) for gpu in machine.gpus]
    if not isinstance(machine.pythons, Unknown):
        out["pythons"] = [p.version + ("-32" if p.bits == 32 else "") for p in machine.pythons]
    if not isinstance(machine.wsl, Unknown):
        out["wsl"] = _wsl_out(machine.wsl)
    if not isinstance(machine.cpu_flags, Unknown):
        out["cpu_flags"] = list(machine.cpu_flags)
    return out


def _gpu_out(gpu: Gpu) -> dict[str, str]:
    known = {} if isinstance(gpu.capability, Unknown) else {"compute_capability": gpu.capability}
    return {"name": gpu.name, **known}


def _wsl_out(wsl: Wsl | None) -> dict[str, Any] | None:
    if wsl is None:
        return None
    out: dict[str, Any] = {"distros": list(wsl.distros)}
    out |= {k: v for k in ("version", "kernel") if not isinstance(v := getattr(wsl, k), Unknown)}
    return out


def _os(key: str, value: object) -> Os:
    names: tuple[Os, ...] = get_args(Os)
    return next((name for name in names if value == name), None) or _refuse(key, "os", value)


def _arch(key: str, value: object) -> str:
    arch = _ARCHES.get(value.lower()) if isinstance(value, str) else None
    return arch or _refuse(key, "arch", value)


def _build(key: str, value: object) -> str:
    """Take a build as `ver` prints it, and as people say it: 22631, "22631", "22631.4037"; Windows 7 is 7601."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    said = _matching(key, text, _NUMBER, "build")
    first = int(said.partition(".")[0])
    if first < FIRST_NT_BUILD:
        return said
    return f"{next(line for line, builds in NT_LINES if first in builds)}.{said}"


def _driver(key: str, value: object) -> str | None:
    return None if value is None else _matching(key, value, _NUMBER, "driver")


def _version(key: str, value: object) -> str:
    return _matching(key, value, _NUMBER, "version")


def _kernel(key: str, value: object) -> str:
    return _matching(key, value, rf"{_NUMBER}.*", "kernel")


def _libc(key: str, value: object) -> str:
    return value if isinstance(value, str) and value in ("glibc", "musl") else _refuse(key, "libc", value)


def _gpus(key: str, value: object) -> tuple[Gpu, ...]:
    return tuple(_gpu(f"{key}[{i}]", item) for i, item in enumerate(_list(key, value)))


def _gpu(key: str, value: object) -> Gpu:
    if isinstance(value, str):
        value = {"name": value}
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        _refuse(key, "gpu", value)
    extra = next((k for k in value if k not in ("name", "compute_capability")), None)
    if extra is not None:
        raise TrueupError(
            Message("describe.unknown-key", {"key": f"{key}.{extra}"}),
            Message("describe.hint-keys", {"keys": "name, compute_capability"}),
        )
    said = value.get("compute_capability")
    if said is None:
        return Gpu(value["name"])
    text = str(said)
    if isinstance(said, bool) or not re.fullmatch(r"\d+\.\d+", text):
        _refuse(f"{key}.compute_capability", "capability", said)
    return Gpu(value["name"], text)


def _pythons(key: str, value: object) -> tuple[Python, ...]:
    return tuple(_python(f"{key}[{i}]", item) for i, item in enumerate(_list(key, value)))


def _python(key: str, value: object) -> Python:
    found = (
        re.fullmatch(r"(3\.\d+(?:\.\d+)?|2\.7(?:\.\d+)?)\S*?(-32)?", value)
        if isinstance(value, str)
        else None
    )
    if found is None:
        _refuse(key, "python", value)
    return Python(found[1], 32 if found[2] else 64)


def _wsl(key: str, value: object) -> Wsl | None:
    if value is None or value is False:
        return None
    if not isinstance(value, dict):
        _refuse(key, "wsl", value)
    version = value.get("version")
    if version is not None and (isinstance(version, bool) or version not in (1, 2)):
        _refuse(f"{key}.version", "wsl-version", version)
    kernel = value.get("kernel")
    return Wsl(
        version=NOT_READ if version is None else version,
        distros=tuple(_text(f"{key}.distros", d) for d in _list(f"{key}.distros", value.get("distros", []))),
        kernel=NOT_READ if kernel is None else _kernel(f"{key}.kernel", kernel),
    )


def _flags(key: str, value: object) -> tuple[str, ...]:
    items = value.split() if isinstance(value, str) else _list(key, value)
    return tuple(_text(key, item) for item in items)


def _disk(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < math.inf:
        _refuse(key, "disk", value)
    return float(value)


def _list(key: str, value: object) -> list[Any]:
    return value if isinstance(value, list) else _refuse(key, "list", value)


def _text(key: str, value: object) -> str:
    return value if isinstance(value, str) else _refuse(key, "text", value)


def _matching(key: str, value: object, pattern: str, expected: str) -> str:
    if isinstance(value, str) and re.fullmatch(pattern, value.strip()):
        return value.strip()
    _refuse(key, expected, value)
    return None


def _refuse(key: str, expected: str, found: object) -> NoReturn:
    shown = repr(found) if len(repr(found)) <= 60 else repr(found)[:57] + "..."
    what = {"key": key or "@describe.whole", "expected": f"@describe.expect-{expected}", "found": shown}
    raise TrueupError(Message("describe.bad-value", what), Message("describe.hint-keys", {"keys": _keys()}))


def _optional(read: Callable[[str, object], Any]) -> Callable[[str, object], Any]:
    """Take null as "not known", for keys where nothing else can be meant."""
    return lambda key, value: NOT_READ if value is None else read(key, value)


_READERS: Mapping[str, Callable[[str, object], Any]] = {
    "os": _os,
    "arch": _optional(_arch),
    "os_build": _optional(_build),
    "gpus": _optional(_gpus),
    "driver": _driver,
    "pythons": _optional(_pythons),
    "wsl": _wsl,
    "glibc": _optional(_version),
    "libc": _optional(_libc),
    "kernel": _optional(_kernel),
    "cpu_flags": _optional(_flags),
    "disk_free_gb": _optional(_disk),
}


def _keys() -> str:
    return ", ".join(_READERS)
