"""What installed frameworks say of their build, read from their files."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.inventory.model import FrameworkBuild
from trueup.machine.inventory.packages import OWNERS
from trueup.machine.model import NOT_READ
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Package

_TORCH = ("torch", "version.py")
_TENSORFLOW = ("tensorflow", "python", "platform", "build_info.py")
_PADDLE = ("paddle", "version", "__init__.py")
_ONNX = ("onnxruntime", "capi", "build_and_package_info.py")
_ONNX_WHOLE = ("onnxruntime", "capi", "_pybind_state.py")
# of several that own one folder, the one that was written last is unknown: the most specific is named
_JAX_CUDA = re.compile(r"jax-cuda(\d+)-plugin$")


def read_builds(host: Host, packages: tuple[Package, ...]) -> tuple[FrameworkBuild, ...]:
    return tuple(_all(host, packages))


def _all(host: Host, packages: tuple[Package, ...]) -> Iterator[FrameworkBuild]:
    for reader in (_tensorflow, _torch, _jax, _onnxruntime, _paddle):
        found = reader(host, packages)
        if found is not None:
            asked = [
                found.package,
                *(one.name for one in packages if found.framework == "jax" and _JAX_CUDA.match(one.name)),
            ]
            requires = (text for name in asked for text in _requires(host, packages, name))
            yield replace(found, requires=tuple(dict.fromkeys(requires)))


def _requires(host: Host, packages: tuple[Package, ...], name: str) -> tuple[str, ...]:
    """Return what a distribution asks for, as its METADATA says; nothing where it cannot be read."""
    package = _first(packages, [name])
    if package is None or package.folder is None:
        return ()
    text = _text(host, package.place, (package.folder, "METADATA"))
    head = "" if isinstance(text, Unknown) else text.partition("\n\n")[0]
    return tuple(
        line.partition(":")[2].strip() for line in head.splitlines() if line.startswith("Requires-Dist:")
    )


def _first(packages: tuple[Package, ...], names: Iterable[str]) -> Package | None:
    by_name = {package.name: package for package in reversed(packages)}
    return next((by_name[name] for name in names if name in by_name), None)


def _text(host: Host, place: str, parts: tuple[str, ...]) -> str | Unknown:
    path = path_of(host).join(place, *parts)
    try:
        text = host.read_text(path)
    except HostError as error:
        return Unknown(error.why)
    return Unknown(Message("machine.file-missing", {"path": path})) if text is None else text


def _tensorflow(host: Host, packages: tuple[Package, ...]) -> FrameworkBuild | None:
    order = [name for name in OWNERS["tensorflow"] if name != "tensorflow"]
    package = _first(packages, ["tensorflow", *order])
    if package is None:
        return None
    owner = package
    if package.name in ("tensorflow", "tensorflow-cpu"):  # on Windows mere shells around tensorflow-intel
        owner = _first(packages, ["tensorflow-intel"]) or package
    text = _text(host, owner.place, _TENSORFLOW)
    if isinstance(text, Unknown):
        return FrameworkBuild("tensorflow", package.name, package.version, text, text, owner.place)
    cuda, cudnn = tensorflow_cuda(text)
    rocm = re.search(r"is_rocm_build['\"]?\s*[,:=]\s*True", text)
    other = "rocm" if rocm else None
    return FrameworkBuild("tensorflow", package.name, package.version, cuda, cudnn, owner.place, other=other)


def tensorflow_cuda(text: str) -> tuple[str | None, str | None]:
    """Read build_info.py. Windows builds write "64_112" for 11.2 and "64_8" for cuDNN 8."""
    if not re.search(r"is_cuda_build['\"]?\s*[,:=]\s*True", text):
        return None, None
    cuda = re.search(r"cuda_version['\"]?\s*[,:=]\s*['\"]([^'\"]+)", text)
    cudnn = re.search(r"cudnn_version['\"]?\s*[,:=]\s*['\"]([^'\"]+)", text)
    return (cuda_version(cuda[1]) if cuda else None, cudnn[1].removeprefix("64_") if cudnn else None)


def cuda_version(text: str) -> str:
    """Return "11.2" of "64_112", "64_110", "11.2" or "12.5.1"; a DLL's number has no dot."""
    bare = text.removeprefix("64_")
    if "." in bare:
        return ".".join(bare.split(".")[:2])
    return f"{bare[:-1]}.{bare[-1]}" if len(bare) == 3 else bare


def _torch(host: Host, packages: tuple[Package, ...]) -> FrameworkBuild | None:
    package = _first(packages, ["torch"])
    if package is None:
        return None
    text = _text(host, package.place, _TORCH)
    if isinstance(text, Unknown):
        return FrameworkBuild("torch", "torch", package.version, text, text, package.place)
    cuda = re.search(r"^cuda\b[^=]*=\s*['\"]([\d.]+)", text, re.MULTILINE)
    version = re.search(r"^__version__\s*=\s*['\"]([^'\"]+)", text, re.MULTILINE)
    told = version[1] if version else package.version
    other = next((name for name in ("rocm", "xpu") if f"+{name}" in told), None)
    other = "rocm" if re.search(r"^hip\b[^=]*=\s*['\"]\d", text, re.MULTILINE) else other
    return FrameworkBuild("torch", "torch", told, cuda and cuda[1], None, package.place, other=other)


def _jax(host: Host, packages: tuple[Package, ...]) -> FrameworkBuild | None:  # noqa: ARG001  # as its siblings
    package = _first(packages, ["jaxlib", "jax"])
    if package is None:
        return None
    plugin = next((hit for found in packages if (hit := _JAX_CUDA.match(found.name))), None)
    old = re.search(r"\+cuda(\d+)", package.version)  # up to 0.4.29: jaxlib 0.4.25+cuda12.cudnn89
    cuda = plugin[1] if plugin else old[1] if old else None
    return FrameworkBuild("jax", package.name, package.version, cuda, None, package.place)


def _onnxruntime(host: Host, packages: tuple[Package, ...]) -> FrameworkBuild | None:
    package = _first(packages, ["onnxruntime-gpu", "onnxruntime", "onnxruntime-directml"])
    if package is None:
        return None
    text = _text(host, package.place, _ONNX)
    cuda: str | Unknown | None = text if isinstance(text, Unknown) else None
    if isinstance(text, Unknown) and not isinstance(_text(host, package.place, _ONNX_WHOLE), Unknown):
        cuda = NOT_READ if package.name == "onnxruntime-gpu" else None  # up to 1.20 no wheel has that file
    if isinstance(text, str):
        found = re.search(r"^cuda_version\s*=\s*['\"]([\d.]+)", text, re.MULTILINE)
        cuda = found[1] if found else None
    return FrameworkBuild("onnxruntime", package.name, package.version, cuda, None, package.place)


def _paddle(host: Host, packages: tuple[Package, ...]) -> FrameworkBuild | None:
    package = _first(packages, ["paddlepaddle-gpu", "paddlepaddle"])
    if package is None:
        return None
    text = _text(host, package.place, _PADDLE)
    if isinstance(text, Unknown):
        return FrameworkBuild("paddlepaddle", package.name, package.version, text, text, package.place)
    cuda = re.search(r"^cuda_version\s*=\s*['\"]([\d.]+)", text, re.MULTILINE)
    cudnn = re.search(r"^cudnn_version\s*=\s*['\"]([\d.]+)", text, re.MULTILINE)
    return FrameworkBuild(
        "paddlepaddle", package.name, package.version, cuda and cuda[1], cudnn and cudnn[1], package.place
    )
