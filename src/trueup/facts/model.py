"""Rows of knowledge. Versions are PEP 440 texts here; compare them only as `packaging.version.Version`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from trueup.values import Source

Platform = Literal["windows", "linux"]
Flavour = Literal["cuda", "cpu", "directml"]


class CudaFrom(str, Enum):
    """Who brings the CUDA and cuDNN libraries of a build."""

    BUNDLED = "bundled"  # inside the framework's own wheel (torch index builds)
    DEPENDENCY = "dependency"  # nvidia-* wheels that its metadata or extra asks for
    ADDED = "added"  # nvidia-* wheels that trueup adds: the metadata asks for none
    SYSTEM = "system"  # a toolkit and cuDNN of the machine: no wheels have this CUDA line
    NONE = "none"  # not a CUDA build


@dataclass(frozen=True, slots=True)
class GpuCode:
    """Machine code inside a set of binaries, as compute capabilities "8.6".

    `sass` runs on the same major capability with an equal or higher minor; `ptx` is compiled at start
    for anything newer. `known` is False where no artifact or document was read.
    """

    sass: tuple[str, ...] = ()
    ptx: tuple[str, ...] = ()
    known: bool = True


@dataclass(frozen=True, slots=True)
class Build:
    """One release of a framework as it is installed on one platform in one flavour."""

    framework: str  # canonical: tensorflow, torch, jax, paddlepaddle, onnxruntime, cupy
    package: str  # the distribution that is asked for: tensorflow, tensorflow-gpu, tensorflow-cpu ...
    version: str
    platform: Platform
    arch: str  # x86_64 or aarch64
    flavour: Flavour
    requirements: tuple[str, ...]  # what to install, PEP 508
    pythons: tuple[str, ...]  # "3.9": a wheel exists for each
    index: str | None  # address of the wheel index; None: the user's default
    cuda: str | None  # built with
    cudnn: str | None
    cuda_from: CudaFrom
    code: GpuCode  # of the framework itself
    library_code: GpuCode  # of its cuBLAS and cuDNN, weakest of them
    caps: tuple[str, ...]  # constraints without which the release breaks today, PEP 508
    glibc: str | None  # least glibc, Linux
    cpu_features: tuple[str, ...]  # such as "avx"
    download_mb: int | None  # with all that it needs
    disk_mb: int | None
    notes: tuple[str, ...]  # message codes `facts.…` of what is publicly known and must be said
    source: Source


@dataclass(frozen=True, slots=True)
class LibraryWheel:
    """A wheel of NVIDIA's or Microsoft's libraries."""

    project: str
    version: str
    platform: Platform
    arch: str
    download: int  # bytes
    unpacked: int
    libraries: tuple[str, ...]  # paths inside the wheel: nvidia/cudnn/bin/cudnn64_8.dll
    source: Source


@dataclass(frozen=True, slots=True)
class Beside:
    """A release of a package that people want beside a framework.

    `wheels` are the Pythons by platform and processor: "3.9+" is a wheel of the stable ABI, None any Python.
    `asks` is what its METADATA demands; `made_for` which framework releases it was made for, where it only says so.
    """

    package: str
    version: str
    requires_python: str
    wheels: tuple[tuple[Platform, str, tuple[str, ...] | None], ...]
    asks: tuple[str, ...]
    made_for: tuple[str, ...]
    source: Source


@dataclass(frozen=True, slots=True)
class DriverFloor:
    """Least driver for a CUDA release line on one OS. WSL2 takes the Windows row."""

    cuda: str
    os: Platform
    minor_compatible: str | None  # enough for SASS by CUDA minor-version compatibility
    full: str | None  # the driver that came with the toolkit: knows its PTX
    source: Source


@dataclass(frozen=True, slots=True)
class Cudnn:
    """A range of cuDNN releases built for one range of CUDA."""

    first: str  # cuDNN, inclusive
    last: str
    cuda_first: str
    cuda_last: str  # "12.x": every release of the line
    least_capability: str | None
    newest_capability: str | None
    driver_linux: str | None
    driver_windows: str | None
    zlib_windows: bool  # the zip for Windows needs zlibwapi.dll beside it; wheels from 8.9.4 on do not
    source: Source


@dataclass(frozen=True, slots=True)
class Capability:
    """What is known of one compute capability."""

    capability: str
    architecture: str
    first_cuda: str | None
    last_cuda: str | None  # None: still supported
    last_driver_branch: int | None  # None: still supported
    first_driver_branch: int | None  # no older branch drives such a card
    source: Source


@dataclass(frozen=True, slots=True)
class CardMatch:
    """What a product name says. `capabilities` holds more than one where chips share the name."""

    name: str  # the canonical product name, or the text that was asked for
    vendor: Literal["nvidia", "amd", "intel", "qualcomm", "other", "unknown"]
    capabilities: tuple[str, ...]  # empty: unknown
    architecture: str | None
    source: Source | None
