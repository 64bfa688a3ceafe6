"""The build information of each framework, in all the forms it has had."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.facts.harvest.readers.literals import assigned
from trueup.facts.harvest.readers.versions import capability, cuda, cudnn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True)
class BuildInfo:
    """What a wheel says of its build. `None`: it does not say. `sass` and `ptx` are claims, not what is inside."""

    framework: str
    is_cuda: bool | None = None
    cuda: str | None = None
    cudnn: str | None = None
    sass: tuple[str, ...] | None = None
    ptx: tuple[str, ...] | None = None
    version: str | None = None


def _tensorflow(values: Mapping[str, Any]) -> BuildInfo:
    """Read `build_info.py`: module constants up to 2.2, a dictionary from 2.3 on.

    Its DLL names are not taken over: `cudart64_112.dll` stands there where the code asks for `cudart64_110.dll`.
    """
    inner = values.get("build_info")
    info: Mapping[str, Any] = inner if isinstance(inner, dict) else values
    claims = info.get("cuda_compute_capabilities")
    targets = [str(c) for c in claims] if isinstance(claims, (list, tuple)) else None
    flag = info.get("is_cuda_build")
    is_cuda = flag if isinstance(flag, bool) else None
    return BuildInfo(
        "tensorflow",
        is_cuda=is_cuda,
        cuda=cuda(info.get("cuda_version") or info.get("cuda_version_number")) if is_cuda else None,
        cudnn=cudnn(info.get("cudnn_version") or info.get("cudnn_version_number")) if is_cuda else None,
        sass=_targets(targets, "sm_"),
        ptx=_targets(targets, "compute_"),
    )


def _targets(targets: list[str] | None, prefix: str) -> tuple[str, ...] | None:
    """Return the capabilities of one kind. A target `compute_80` stands for both: its code and its PTX."""
    if targets is None:
        return None
    wanted = [t for t in targets if t.startswith(("sm_", "compute_") if prefix == "sm_" else prefix)]
    return tuple(c for c in map(capability, wanted) if c)


def _torch(values: Mapping[str, Any]) -> BuildInfo:
    return BuildInfo(
        "torch", bool(values.get("cuda")), cuda(values.get("cuda")), version=_text(values.get("__version__"))
    )


def _onnxruntime(values: Mapping[str, Any]) -> BuildInfo:
    """Read `build_and_package_info.py`, or `version_info.py` of older Windows wheels."""
    number = cuda(values.get("cuda_version"))
    return BuildInfo(
        "onnxruntime",
        bool(number),
        number,
        cudnn(values.get("cudnn_version")),
        version=_text(values.get("__version__")),
    )


def _paddle(values: Mapping[str, Any]) -> BuildInfo:
    """Read `paddle/version`; a CPU build writes the text "False"."""
    number = cuda(values.get("cuda_version"))
    return BuildInfo(
        "paddlepaddle",
        bool(number),
        number,
        cudnn(values.get("cudnn_version")),
        version=_text(values.get("full_version")),
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


READERS: tuple[tuple[re.Pattern[str], Callable[[Mapping[str, Any]], BuildInfo]], ...] = (
    (re.compile(r"tensorflow(_core)?/python/platform/build_info\.py"), _tensorflow),
    (re.compile(r"torch/version\.py"), _torch),
    (re.compile(r"onnxruntime/capi/(build_and_package_info|version_info)\.py"), _onnxruntime),
    (re.compile(r"paddle/version(/__init__)?\.py"), _paddle),
)


def reader_of(member: str) -> Callable[[Mapping[str, Any]], BuildInfo] | None:
    """Return the reader for a member's path."""
    return next((read for pattern, read in READERS if pattern.fullmatch(member)), None)


def read_build(member: str, source: str) -> BuildInfo | None:
    """Return what a member says of the build; None where no reader knows it, ValueError where it is no Python."""
    read = reader_of(member)
    return read(assigned(source)) if read else None
