"""The facts of a case: what people state in their own words, and what a log says by the way."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from trueup.diagnose.template import canonical_key

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = re.compile(
    r"(?<![\w.])v?(\d{1,4}(?:\.\d{1,9}){0,4})(?:\.x\b)?(?:[.\-]?(?:rc|b|a|beta|dev|post)\.?\d{0,9})?",
    re.ASCII,
)
NAMED = re.compile(
    r"\b(tensorflow[\w\-]{0,40}|tf-nightly[\w\-]{0,20}|tf|keras|pytorch|torch(?![\w\-])|torchvision|jaxlib|jax|onnxruntime[\w\-.]{0,20}"
    r"|microsoft\.ml\.onnxruntime\.gpu|onnx runtime|paddlepaddle[\w\-]{0,10}|paddle|cupy[\w\-]{0,14}|ctranslate2|bitsandbytes"
    r"|numba|numpy|protobuf|cudnn|cudatoolkit|cuda|nvcc|pip|python|driver|wsl|jax\[cuda1\d\]|faster-whisper"
    r"|typing[-_]extensions|numpy|nvidia-cudnn-cu\d\d)"
    r"(?:\[[\w\-,]{1,40}\])?[ \t]{0,3}(?:\(?(?:==|>=|<=|=|~=|<|>|:|version|built with|toolkit|runtime|release|wheel)[ \t]{0,2}){0,2}v?(\d{1,9}(?:\.\d{1,9}){0,4})(?![\w])",
    re.ASCII,
)
# post107 is Paddle's for CUDA 10 with cuDNN 7.
CU_TAG = re.compile(r"(?:\+|\b)cu(\d{2})(\d)\b|\bpost(?!107\b)(\d{2})(\d)\b|\bcu(\d{2})\b")
BUILT_FOR = re.compile(
    r"(?:\b(?:built|compiled|made|wheel|build)[ -](?:for|with|against|on)|[(,])[ \t]{0,2}cuda[ \t]{0,2}(\d{1,2}(?:\.\d{1,2})?)"
)
PACKAGE_KEYS = frozenset(("framework", "tf", "torch", "jax", "ort", "paddle"))
CAPABILITY = re.compile(
    r"(?:\bcc|capability|sm|compute)[ _:=]{0,3}(\d{1,2})[._]?(\d)\b|\((\d{1,2})\.(\d)\)", re.ASCII
)
FRAMEWORKS = {
    "tf": "tf", "tensorflow": "tf", "tf-nightly": "tf", "pytorch": "torch", "torch": "torch", "jax": "jax",
    "jaxlib": "jaxlib", "paddle": "paddle", "paddlepaddle": "paddle", "onnxruntime": "ort", "onnx runtime": "ort",
    "microsoft.ml.onnxruntime.gpu": "ort", "cupy": "cupy", "ctranslate2": "ct2", "cudatoolkit": "cuda", "nvcc": "cuda",
    "typing_extensions": "typing-extensions", "nvidia-cudnn-cu11": "cudnn", "nvidia-cudnn-cu12": "cudnn",
}  # fmt: skip
# Packages that carry a framework's name and a version of their own.
COMPANIONS = tuple(
    f"tensorflow-{name}"
    for name in (
        *("addons", "datasets", "decision", "directml", "docs", "estimator", "federated", "hub", "io"),
        *("metadata", "model", "probability", "quantum", "recommenders", "serving", "text", "transform"),
    )
)
KEYS = {
    "tensorflow": "tf", "tf": "tf", "torch": "torch", "pytorch": "torch", "python": "python", "cuda": "cuda",
    "cuda_toolkit": "cuda", "toolkit": "cuda", "cudnn": "cudnn", "driver": "driver", "nvidia_driver": "driver",
    "driver_after": "driver", "userspace_driver": "driver", "kernel_module": "module", "driver_cuda": "driver-cuda",
    "cuda_smi": "driver-cuda", "kernel": "kernel", "numpy": "numpy", "pip": "pip", "jax": "jax", "wsl": "wsl",
    "onnxruntime": "ort", "paddle": "paddle",
}  # fmt: skip
BOTH = re.compile(r"([^/,;|&]+?)[ ]*(?:[/,;|&]|\band\b|  )[ ]*([^/,;|&]+)")
SYSTEMS = (
    ("wsl2", ("wsl", "microsoft-standard")),
    ("windows-native", ("windows", "win10", "win11", "win7", "win 1", "win32")),
    (
        "linux",
        (
            "linux",
            "ubuntu",
            "debian",
            "centos",
            "fedora",
            "manjaro",
            "arch",
            "mint",
            "rhel",
            "red hat",
            "suse",
            "nixos",
        ),
    ),
)
CARD_KEYS = (
    "gpu",
    "gpus",
    "card",
    "device",
    "graphics",
    "gpu_compute_capability",
    "compute_capability",
    "cap",
)


@dataclass(frozen=True, slots=True)
class Case:
    """`versions`: what is stated or read, by name; `flags`: yes-or-no facts; `texts`: the words as given."""

    os: str
    versions: Mapping[str, tuple[Version, ...]] = field(default_factory=dict)
    flags: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)


def system_of(words: str) -> str:
    """Return the system that words name: `Windows 10 64 bit` is `windows-native`."""
    lower = words.lower()
    return next((name for name, signs in SYSTEMS if any(sign in lower for sign in signs)), "unknown")


def version(text: str) -> Version | None:
    try:
        return Version(text.replace("_", "."))
    except InvalidVersion:
        return None


def versions_in(text: str) -> tuple[Version, ...]:
    found = (version(hit) for hit in VERSION.findall(text))
    return tuple(one for one in found if one is not None)


def read_given(given: Mapping[str, object], os: str, printed: Mapping[str, str] | None = None) -> Case:
    """Return what stated facts say, whatever words they are in. `printed`: facts that the log states."""
    texts: dict[str, str] = {}
    for key, value in given.items():
        for name, text in _named(canonical_key(str(key).lower()), _text(value)):
            texts[name] = f"{texts[name]}, {text}" if name in texts and texts[name] != text else text
    for key, value in (printed or {}).items():
        for name, text in _named(key, value):
            texts.setdefault(name, text)
    found: dict[str, list[Version]] = {}
    for key, text in texts.items():
        _read_text(key, _without_own_cuda(key, text, texts, found), found)
    flags = {f"os:{os}"} | {f"given:{key}" for key in texts}
    return Case(os, {name: tuple(values) for name, values in found.items()}, frozenset(flags), texts)


def _without_own_cuda(key: str, text: str, texts: Mapping[str, str], found: dict[str, list[Version]]) -> str:
    """Take the CUDA that a package was built for out of its words, where the installed one is stated apart."""
    if "cuda" not in texts or (_owner(key) or key) not in PACKAGE_KEYS:
        return text
    for hit in BUILT_FOR.findall(text.lower()):
        found.setdefault("built-cuda", []).append(Version(hit))
        found.setdefault("need-cuda", []).append(Version(hit))
    return BUILT_FOR.sub(" ", text.lower())


def _text(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(map(str, value))
    return str(value)


def _named(key: str, text: str) -> list[tuple[str, str]]:
    """Take a fact that holds two apart: `CUDA/cuDNN: 11.2 / 8.1`."""
    if _words(key) != ["cuda", "cudnn"]:
        return [(key, text)]
    at = text.lower().find("cudnn")
    if at > 0 and any(char.isdigit() for char in text[:at]):
        return [("cuda", text[:at].strip(" /,;|&")), ("cudnn", text[at:])]
    both = BOTH.fullmatch(text)
    if both:
        return [("cuda", both[1].strip()), ("cudnn", both[2].strip())]
    alone = VERSION.fullmatch(text.strip())
    if alone and _only_cudnn(Version(alone[1])):
        return [("cudnn", text)]
    return [("cudnn", text)] if at >= 0 and "cuda" not in text.lower() else [("cuda", text)]


def _only_cudnn(one: Version) -> bool:
    """Tell a cuDNN's number by itself: CUDA has had no 5.1, 7.6 or 8.1."""
    return (
        one.major in (5, 6)
        or (one.major == 7 and one.minor not in (0, 5))
        or (one.major == 8 and one.minor > 0)
    )


def _words(key: str) -> list[str]:
    return [
        word for word in re.split(r"[^a-z0-9]+", key) if word not in ("version", "installed", "model", "")
    ]


def is_card(key: str) -> bool:
    """Return whether a fact of this name tells of the graphics card."""
    return "_".join(_words(key)) in CARD_KEYS


def _owner(key: str) -> str | None:
    """Return what a fact's plain number is the version of: `driver_version`, `tensorflow-gpu`."""
    words = _words(key)
    name = canonical("-".join(words))
    return KEYS.get("_".join(words)) or (name if name in KEYS.values() else None)


def _read_text(key: str, text: str, found: dict[str, list[Version]]) -> None:
    lower = text.lower()
    own = _owner(key)
    pairs = [(canonical(name), version(number)) for name, number in NAMED.findall(lower)]
    named = [(name, one) for name, one in pairs if one is not None and _fits(name, one)]
    if own and not any(name == own for name, _ in named):
        plain = NAMED.sub(" ", lower) if named else lower
        named += [(own, one) for one in versions_in(plain) if _fits(own, one)]
    for name, one in named:
        found.setdefault(name, []).append(one)
    for hit in CU_TAG.findall(lower):
        tag = _tag_version(hit)
        if tag is not None:
            found.setdefault("built-cuda", []).append(tag)
    if is_card(key):
        found.setdefault("cap", []).extend(_capabilities(lower))


def canonical(name: str) -> str:
    base = name.partition("[")[0]
    if base.startswith(COMPANIONS):
        return base
    for known, short in FRAMEWORKS.items():
        if base == known or base.startswith((known + "-", known + "_", known + ".")):
            return short
    return base


def _tag_version(hit: tuple[str, ...]) -> Version | None:
    major, minor = hit[0] or hit[2], hit[1] or hit[3]
    return version(f"{major}.{minor}") if major else version(hit[4]) if hit[4] else None


LIMITS = {"python": 4, "tf": 3, "torch": 3, "cuda": 20, "cudnn": 20, "driver-cuda": 20, "jax": 2, "numpy": 3}


def _fits(name: str, number: Version) -> bool:
    """Tell years, build numbers and bit widths from versions by their size."""
    if name == "driver":
        return 100 <= number.major < 2000
    return number.major < LIMITS.get(name, 10**6)


def _capabilities(text: str) -> list[Version]:
    stated = [version(f"{a or c}.{b or d}") for a, b, c, d in CAPABILITY.findall(text)]
    whole = version(text.strip()) if re.fullmatch(r"\s*\d{1,2}\.\d\s*", text) else None
    return [one for one in (*stated, whole) if one is not None and one.major < 20]
