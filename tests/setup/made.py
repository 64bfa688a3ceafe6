"""Alignments and machines made by hand, small enough to build in a test."""

from __future__ import annotations

import platform
import sys

from trueup.facts.model import Build, CudaFrom, GpuCode
from trueup.fit.model import Alignment
from trueup.machine.model import Machine, Python
from trueup.plan.request import LockRequest, request
from trueup.values import Message, Source

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def build_of(package: str, version: str, **changes: object) -> Build:
    """Return a build for this machine; `changes` replace its fields."""
    values: dict[str, object] = {
        "framework": package,
        "package": package,
        "version": version,
        "platform": "windows" if sys.platform == "win32" else "linux",
        "arch": "x86_64",
        "flavour": "cpu",
        "requirements": (f"{package}=={version}",),
        "pythons": (HERE,),
        "index": None,
        "cuda": None,
        "cudnn": None,
        "cuda_from": CudaFrom.NONE,
        "code": GpuCode(),
        "library_code": GpuCode(),
        "caps": (),
        "glibc": "2.17",
        "cpu_features": (),
        "download_mb": 1,
        "disk_mb": 2,
        "notes": (),
        "source": Source("a test", "2026-11-30"),
    }
    return Build(**{**values, **changes})  # type: ignore[arg-type]


def alignment_of(*builds: Build, python: str = HERE, caps: tuple[str, ...] = ()) -> Alignment:
    return Alignment(
        route="cpu",
        builds=builds,
        python=python,
        packages=tuple((build.package, build.version) for build in builds),
        requirements=tuple(text for build in builds for text in build.requirements),
        caps=caps,
        cuda=None,
        cudnn=None,
        kernels="none",
        changes=(),
        served=(),
        not_served=(),
        binding=Message("plan.step-lock"),
        notes=(),
        download_mb=1,
        disk_mb=2,
    )


def machine_here() -> Machine:
    here = Python(platform.python_version(), 64, sys.executable, "system")
    return Machine(os="windows" if sys.platform == "win32" else "linux", pythons=(here,), glibc="2.36")


FOO = alignment_of(build_of("foo", "1.0"))


def question_of(alignment: Alignment = FOO) -> LockRequest:
    return request(alignment, machine_here())
