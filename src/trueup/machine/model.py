"""What a machine is. Every value may be `Unknown`: a probe that failed is never an absent thing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from trueup.values import Message, Unknown

Os = Literal["windows", "wsl2", "linux", "macos"]

NOT_READ = Unknown(Message("machine.not-read"))


@dataclass(frozen=True, slots=True)
class Gpu:
    name: str
    capability: str | Unknown = NOT_READ  # "8.6", as the driver says; a name is no proof
    memory_mb: int | Unknown = NOT_READ
    vendor: str = "unknown"  # nvidia, amd, intel, qualcomm, other, unknown
    pci: str | None = None  # "10de:2504"
    model: str | None = None  # Windows: WDDM, TCC or MCDM
    mig: bool = False
    mig_slices: int | Unknown | None = None  # slices that a CUDA program could use; None: MIG is off
    uuid: str | None = None  # "GPU-…", as CUDA_VISIBLE_DEVICES may name it
    free_mb: int | Unknown = NOT_READ
    compute_mode: str | None = None  # default, exclusive-thread, prohibited, exclusive-process


@dataclass(frozen=True, slots=True)
class Python:
    """An interpreter on the machine."""

    version: str  # "3.9.13"
    bits: int = 64
    path: str | None = None  # None: described, not found
    kind: str = "unknown"  # python.org, store, conda, pyenv, uv, system


@dataclass(frozen=True, slots=True)
class Wsl:
    """WSL as Windows sees it. `version` is that of the default distro: 1 or 2."""

    version: int | Unknown = NOT_READ
    distros: tuple[str, ...] = ()
    kernel: str | Unknown = NOT_READ


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that was read or described. `None` says that the thing is not there.

    `driver` is the NVIDIA driver as nvidia-smi prints it; under WSL2 that of Windows.
    `disk_free_gb` is in units of 10^9 bytes, on the volume of the environment.
    """

    os: Os
    arch: str | Unknown = NOT_READ  # x86_64, arm64 (Windows, macOS), aarch64 (Linux)
    os_build: str | Unknown = NOT_READ  # "10.0.22631"
    gpus: tuple[Gpu, ...] | Unknown = NOT_READ
    driver: str | Unknown | None = NOT_READ
    pythons: tuple[Python, ...] | Unknown = NOT_READ
    wsl: Wsl | Unknown | None = NOT_READ
    libc: str | Unknown = NOT_READ  # "glibc" or "musl"
    glibc: str | Unknown = NOT_READ
    kernel: str | Unknown = NOT_READ
    cpu_flags: tuple[str, ...] | Unknown = NOT_READ
    disk_free_gb: float | Unknown = NOT_READ
    long_paths: bool | Unknown = NOT_READ  # Windows: paths beyond 260 characters
    vc_runtime: str | Unknown | None = NOT_READ  # Windows: version of System32's msvcp140.dll
    os_name: str | Unknown = NOT_READ  # "Windows 11 23H2", "Debian GNU/Linux 12 (bookworm)"
    cuda_driver: str | Unknown | None = (
        NOT_READ  # newest CUDA that the driver knows; no toolkit need be there
    )
    environment: tuple[tuple[str, str], ...] = field(default=())  # the variables that matter
