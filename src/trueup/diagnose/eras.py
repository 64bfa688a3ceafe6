"""Which CUDA, cuDNN and Pythons belong to a release, and which CUDA to the name of a library."""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from trueup.facts import load

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.facts.model import Build

LIBRARY = re.compile(
    r"(?:lib)?(cudart|cublaslt|cublas|cufft|curand|cusolver|cusparse|cudnn|nvrtc|nvinfer|nvjitlink|nccl|cuda|nvcuda|cupti"
    r"|zlibwapi|msvcp|nvonnxparser)"
    r"(_[a-z_]{1,24}?)?(?:64_|32_)?(?:\.so)?[._]?(\d{0,4})(?:[._]?(\d{0,4}))[\d._]{0,12}(?:\.dll)?",
    re.ASCII,
)
BY_MAJOR = ("cudart", "cublas", "cublaslt", "nvrtc")
TOOLKIT_NUMBER = re.compile(r"1[1-9]\d")  # Paddle asks for cublas64_118.dll, which no toolkit ever held
IN_FACTS = {"tf": "tensorflow", "torch": "torch", "ort": "onnxruntime"}


@dataclass(frozen=True, slots=True)
class Era:
    """What a release was built for. `pythons`: first and last with a wheel; `oldest`: least capability."""

    cuda: Version
    cudnn: Version | None
    pythons: tuple[Version, Version]
    oldest: Version | None = None


@dataclass(frozen=True, slots=True)
class Library:
    """A library's name taken apart: `cudart64_110.dll` is cudart of CUDA 11."""

    family: str
    part: str
    number: str
    cuda: Version | None


@functools.cache
def _data() -> Any:
    text = resources.files("trueup.diagnose").joinpath("data", "eras.json").read_text("utf-8")
    return json.loads(text)


def minor(one: Version) -> Version:
    return Version(f"{one.major}.{one.minor}")


@functools.cache
def era(framework: str, release: Version, cuda: Version | None = None, os: str = "linux") -> Era | None:
    """Return what a release was built for; None where no table knows it.

    Of several CUDA flavours the one asked for is taken, else the oldest: what it cannot do, none can.
    """
    for first, last, built, cudnn, oldest, newest in _data().get(framework, ()):
        if Version(first) <= minor(release) <= Version(last):
            return Era(Version(built), Version(cudnn), (Version(oldest), Version(newest)))
    builds = _builds(framework, minor(release), os) or _builds(framework, minor(release), "linux")
    if not builds:
        return None
    exact = [one for one in builds if cuda is not None and minor(Version(one.cuda or "0")) == minor(cuda)]
    same = [one for one in builds if cuda is not None and same_line(Version(one.cuda or "0"), cuda)]
    chosen = min(exact or same or builds, key=lambda one: Version(one.cuda or "0"))
    pythons = sorted({Version(text) for one in builds for text in one.pythons if Version(text).major == 3})
    sass = [Version(text) for text in chosen.code.sass]
    return Era(
        Version(chosen.cuda or "0"),
        Version(chosen.cudnn) if chosen.cudnn else None,
        (pythons[0], pythons[-1]),
        min(sass, default=None),
    )


def _builds(framework: str, release: Version, os: str) -> list[Build]:
    name = IN_FACTS.get(framework)
    platform = "windows" if os == "windows-native" else "linux"
    return [
        one
        for one in (load().builds(name) if name else ())
        if one.flavour == "cuda" and one.cuda and one.pythons and one.platform == platform
        and minor(Version(one.version)) == release
    ]  # fmt: skip


@functools.cache
def library(name: str) -> Library | None:
    """Take a file name apart; None where it is no library of the stack."""
    hit = LIBRARY.fullmatch(name.rpartition("/")[2].rpartition("\\")[2].strip(".:,;()"))
    if hit is None:
        return None
    family, part, number, more = hit[1], (hit[2] or "").strip("_"), hit[3], hit[4]
    table = _data()["libraries"].get(family, {})
    so_style = ".so" in name
    key = number + more if so_style and number in ("8", "9", "10") and more else number
    cuda = table.get(key) or (number[:2] if family in BY_MAJOR and TOOLKIT_NUMBER.fullmatch(number) else None)
    return Library(family, part, number, Version(cuda) if cuda else None)


@functools.cache
def first_cuda(capability: Version) -> Version:
    """Return the first CUDA release that knows the capability."""
    row = load().capability(str(capability))
    return Version(row.first_cuda) if row and row.first_cuda else Version("0")


@functools.cache
def last_cuda(capability: Version) -> Version:
    row = load().capability(str(capability))
    return Version(row.last_cuda) if row and row.last_cuda else Version("999")


@functools.cache
def least_driver(cuda: Version, os: str) -> Version | None:
    """Return the least driver for a CUDA release, by minor-version compatibility from CUDA 11 on."""
    row = load().driver_floor(f"{cuda.major}.{cuda.minor}", "linux" if os == "linux" else "windows")
    text = (row.minor_compatible or row.full) if row else None
    return Version(text) if text else None


def same_line(have: Version, need: Version) -> bool:
    """Tell whether the libraries of two CUDA releases have the same names."""
    if len(need.release) == 1 or len(have.release) == 1 or need.major >= 11:
        return have.major == need.major
    return minor(have) == minor(need)


def any_same(have: Iterable[Version], need: Version) -> bool:
    return any(same_line(one, need) for one in have)
