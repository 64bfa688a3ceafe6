"""All environments of a machine, with the framework in each and where it gets its CUDA from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from trueup.keep.cuda.copies import SEARCHING
from trueup.keep.cuda.sizes import folder_size
from trueup.keep.cuda.toolkit import read_folder
from trueup.keep.envs.places import prefixes, tool_of
from trueup.machine.host import path_of
from trueup.machine.inventory.environments import read_environment
from trueup.machine.model import NOT_READ
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.machine.host import Host
    from trueup.machine.inventory.model import CudaCopy, Environment, FrameworkBuild, Survey

Where = Literal["none", "wheels", "conda", "inside", "machine", "missing", "unknown"]
RUNTIMES: Final = ("cudatoolkit", "cuda-cudart")


@dataclass(frozen=True, slots=True)
class CudaSource:
    """Where a framework gets its CUDA from. `path` is that of the machine's copy."""

    framework: str
    where: Where
    version: str | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """An environment that was found. `tool`: who keeps it; `size` in bytes."""

    environment: Environment
    tool: str
    size: int | Unknown
    cuda: tuple[CudaSource, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    known: tuple[Known, ...]
    unread: tuple[Unknown, ...] = ()


def list_all(host: Host, survey: Survey, built: Iterable[str] = ()) -> Listing:
    """Return every environment once. `built`: those that trueup's journal names, wherever they lie."""
    asked = (survey.environments, survey.cuda, survey.machine.pythons)
    unread = tuple(one for one in asked if isinstance(one, Unknown))
    surveyed = () if isinstance(survey.environments, Unknown) else survey.environments
    copies = () if isinstance(survey.cuda, Unknown) else survey.cuda
    found = {_key(host, one.path): (one, "") for one in surveyed}
    pythons = () if isinstance(survey.machine.pythons, Unknown) else survey.machine.pythons
    for prefix, tool in (*prefixes(host), *((one, "trueup") for one in built)):
        key = _key(host, prefix)
        known = found.get(key)
        environment = known[0] if known else read_environment(host, prefix, (tool,), pythons)
        if environment is not None:
            found[key] = (environment, (known[1] if known else "") or tool)
    return Listing(tuple(_known(host, one, tool, copies) for one, tool in found.values()), unread)


def _key(host: Host, path: str) -> str:
    return str(path_of(host).normcase(path_of(host).normpath(path)))


def _known(host: Host, environment: Environment, tool: str, copies: tuple[CudaCopy, ...]) -> Known:
    told = tool_of(host, environment.path)
    if told in ("pixi", "trueup") or tool in ("", "trueup"):
        tool = told or ("installed" if environment.kind == "installed" else "venv")
    sources = tuple(source_of(host, environment, build, copies) for build in environment.builds)
    # A Python's own folder may be all of /usr.
    size = NOT_READ if environment.kind == "installed" else folder_size(host, environment.path)
    return Known(environment, tool, size, sources)


def source_of(
    host: Host, environment: Environment, build: FrameworkBuild, copies: tuple[CudaCopy, ...]
) -> CudaSource:
    """Return where a build's CUDA of its major line comes from, by the order in which it would be found."""
    name = build.framework
    if build.cuda is None:
        return CudaSource(name, "none")
    if isinstance(build.cuda, Unknown):
        return CudaSource(name, "unknown")
    major = build.cuda.split(".")[0]
    folder = path_of(host).join(build.place, "torch", "lib")
    if name == "torch" and any(one.stem in ("cudart", "cublas") for one in read_folder(host, folder)):
        return CudaSource(name, "inside", build.cuda, str(folder))
    if environment.hook and environment.chosen and name in ("tensorflow", "onnxruntime"):
        runtime = (
            one for place in environment.chosen for one in read_folder(host, place) if one.stem == "cudart"
        )
        version = next((one.version for one in runtime if isinstance(one.version, str)), None)
        return CudaSource(name, "machine", version, environment.chosen[0])
    names = (f"nvidia-cuda-runtime-cu{major}", "nvidia-cuda-runtime")
    wheels = (package for package in environment.packages if package.name in names)
    wheel = next((package for package in wheels if package.version.split(".")[0] == major), None)
    if wheel is not None:
        return CudaSource(name, "wheels", wheel.version)
    conda = next(
        (p for p in environment.conda if p.name in RUNTIMES and p.version.split(".")[0] == major), None
    )
    if conda is not None:
        return CudaSource(name, "conda", conda.version)
    return _of_machine(name, major, copies) if name in SEARCHING else CudaSource(name, "unknown", build.cuda)


def _of_machine(name: str, major: str, copies: tuple[CudaCopy, ...]) -> CudaSource:
    searched = sorted((c for c in copies if c.order is not None), key=lambda c: c.order or 0)
    for copy in searched:
        if copy.kind == "runtime" and isinstance(copy.version, str) and copy.version.split(".")[0] == major:
            return CudaSource(name, "machine", copy.version, copy.path)
    unsure = any(c.kind == "runtime" and isinstance(c.version, Unknown) for c in searched)
    return CudaSource(name, "unknown" if unsure else "missing")
