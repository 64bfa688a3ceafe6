"""Every copy of CUDA on a machine: toolkits, conda's and wheels' copies, loose folders; and who uses each."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from trueup.keep.cuda import sizes
from trueup.keep.cuda.toolkit import folders, read_folder
from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_real
from trueup.machine.inventory.cuda import wheel_copies
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.keep.cuda.toolkit import Library
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import CudaCopy, Environment, FrameworkBuild, Survey

CopyKind = Literal["toolkit", "conda", "wheels", "framework", "loose"]
UserKind = Literal["environment", "variable", "path"]
_WHEEL: Final = re.compile(r"nvidia-(cuda-runtime|cudnn)(-cu\d+)?$")
_CONDA: Final = ("cudatoolkit", "cuda-cudart", "cuda-cudart_win-64", "cuda-cudart_linux-64")
# these look for CUDA outside themselves; torch and paddle bring theirs or ask for wheels
SEARCHING: Final = ("tensorflow", "onnxruntime", "jax")
_VARIABLE: Final = re.compile(r"CUDA_(PATH(_V\d+_\d+)?|HOME)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class User:
    """Who uses a copy. `name`: the environment's folder, the variable, PATH, or the loader's own list."""

    kind: UserKind
    name: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A place with a CUDA, a cuDNN, or both; None: not in it. `order`: place in the loader's search, if any."""

    kind: CopyKind
    path: str
    cuda: str | Unknown | None
    cudnn: str | Unknown | None
    size: int | Unknown
    users: tuple[User, ...] = ()
    order: int | None = None


@dataclass(frozen=True, slots=True)
class First:
    """The file that a process which asks by bare name would load, where nothing of its own comes before."""

    name: str
    path: str
    version: str | Unknown
    shadows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Copies:
    """`unread`: what could not be looked at; then nothing can be said to be all."""

    copies: tuple[Copy, ...]
    first: tuple[First, ...]
    unread: tuple[Unknown, ...] = ()


def all_copies(host: Host, survey: Survey) -> Copies:
    """Return every copy, the machine's first, and what would be loaded first."""
    asked = (survey.cuda, survey.environments)
    unread = tuple(one for one in asked if isinstance(one, Unknown))
    machine = () if isinstance(survey.cuda, Unknown) else survey.cuda
    environments = () if isinstance(survey.environments, Unknown) else survey.environments
    found = [*_toolkits(host, machine), *_of_environments(host, environments)]
    found += _loose(host, machine, [copy.path for copy in found])
    return Copies(tuple(_with_users(host, found, environments)), first_of(host, machine), unread)


def first_of(host: Host, machine: Iterable[CudaCopy]) -> tuple[First, ...]:
    """Return the first runtime and cuDNN of each name that the loader's search meets."""
    found: dict[str, list[CudaCopy]] = {}
    for copy in sorted((c for c in machine if c.order is not None), key=lambda c: c.order or 0):
        if copy.kind in ("runtime", "cudnn", "zlib"):
            found.setdefault(_name(host, copy.path), []).append(copy)
    return tuple(
        First(path_of(host).basename(one.path), one.path, one.version, tuple(c.path for c in rest))
        for one, *rest in found.values()
    )


def _name(host: Host, path: str) -> str:
    """Return what a program asks for: libcudart.so.11.8.89 answers to libcudart.so.11."""
    name = path_of(host).basename(path).lower()
    return ".".join(name.split(".")[:3]) if ".so." in name else str(name)


def _toolkits(host: Host, machine: Iterable[CudaCopy]) -> Iterator[Copy]:
    for one in machine:
        if one.kind == "toolkit":
            libraries = [found for folder in folders(host, one.path) for found in read_folder(host, folder)]
            yield Copy(
                "toolkit", one.path, one.version, _cudnn(libraries), sizes.folder_size(host, one.path),
                order=_order(host, machine, one.path),
            )  # fmt: skip


def _cudnn(libraries: Iterable[Library]) -> str | Unknown | None:
    """Return the version of the cuDNN that a folder holds: that of its first file of the newest major."""
    found = [one for one in libraries if one.stem == "cudnn"]
    return max(found, key=lambda one: one.line).version if found else None


def _order(host: Host, machine: Iterable[CudaCopy], root: str) -> int | None:
    orders = [c.order for c in machine if c.order is not None and below(host, c.path, root)]
    return min(orders, default=None)


def below(host: Host, path: str, root: str) -> bool:
    """Tell whether a path lies in a folder, as the host spells it."""
    paths = path_of(host)
    inner, outer = (paths.normcase(paths.normpath(one)) for one in (path, root))
    return bool(inner == outer or inner.startswith(outer.rstrip(paths.sep) + paths.sep))


def _of_environments(host: Host, environments: Iterable[Environment]) -> Iterator[Copy]:
    for environment in environments:
        yield from _conda(host, environment)
        yield from _wheels(host, environment)
        for build in environment.builds:
            yield from _framework(host, environment, build)


def _conda(host: Host, environment: Environment) -> Iterator[Copy]:
    runtime = next((p for p in environment.conda if p.name in _CONDA), None)
    cudnn = next((p for p in environment.conda if p.name == "cudnn"), None)
    if runtime or cudnn:
        sized = [p for p in environment.conda if p.name.startswith(("cuda", "cudnn", "libcu", "libnv"))]
        yield Copy(
            "conda",
            environment.path,
            runtime.version if runtime else None,
            cudnn.version if cudnn else None,
            sizes.added([sizes.conda_size(host, environment.path, one) for one in sized]),
            (User("environment", environment.path),),
        )


def _wheels(host: Host, environment: Environment) -> Iterator[Copy]:
    """One copy a CUDA line: two frameworks of one environment may ask for two."""
    wheels = wheel_copies(environment)
    runtimes = {name: v for name, v in wheels.items() if _WHEEL.match(name) and "runtime" in name}
    cudnns = {name: v for name, v in wheels.items() if _WHEEL.match(name) and "cudnn" in name}
    lines = {_line(name, version): version for name, version in runtimes.items()}
    cudnn_lines = {_line(name, ""): version for name, version in cudnns.items()}
    for line in dict.fromkeys([*lines, *cudnn_lines]):
        mine = [p for p in environment.packages if p.name.startswith("nvidia-") and _of_line(p.name, line)]
        place = next(iter(mine)).place
        yield Copy(
            "wheels",
            str(path_of(host).join(place, "nvidia")),
            lines.get(line),
            cudnn_lines.get(line),
            sizes.added([sizes.package_size(host, one) for one in mine]),
            (User("environment", environment.path),),
        )


def _line(name: str, version: str) -> str:
    found = re.search(r"-cu(\d+)$", name)
    return found[1] if found else version.split(".", maxsplit=1)[0]


def _of_line(name: str, line: str) -> bool:
    return name.endswith(f"-cu{line}") or not re.search(r"-cu\d+$", name)


def _framework(host: Host, environment: Environment, build: FrameworkBuild) -> Iterator[Copy]:
    """Look into torch's own folder: wheels of its own index carry CUDA in them."""
    if build.framework != "torch" or build.cuda is None:
        return
    folder = str(path_of(host).join(build.place, "torch", "lib"))
    libraries = list(read_folder(host, folder))
    if any(one.stem in ("cudart", "cublas") for one in libraries):
        starts = ("cu", "nv", "libcu", "libnv")
        size = sizes.files_size(host, folder, *starts)
        user = User("environment", environment.path)
        yield Copy("framework", folder, build.cuda, _cudnn(libraries), size, (user,))


def _loose(host: Host, machine: Iterable[CudaCopy], known: list[str]) -> Iterator[Copy]:
    """Return folders with a runtime or a cuDNN that belong to no copy so far, of those that guides make."""
    places: dict[str, list[CudaCopy]] = {}
    for one in machine:
        if one.kind in ("runtime", "cudnn") and not any(below(host, one.path, root) for root in known):
            places.setdefault(path_of(host).dirname(one.path), []).append(one)
    for folder, found in places.items():
        libraries = list(read_folder(host, folder))
        size = sizes.files_size(host, folder, "cud", "cub", "libcud", "libcub")
        runtime = next((one.version for one in found if one.kind == "runtime"), None)
        orders = [one.order for one in found if one.order is not None]
        yield Copy("loose", folder, runtime, _cudnn(libraries), size, order=min(orders, default=None))


def _with_users(host: Host, found: list[Copy], environments: Iterable[Environment]) -> Iterator[Copy]:
    """Add variables, the loader's search, and the environments that would fall back on a copy of the machine."""
    served: set[tuple[str, str]] = set()
    for copy in sorted(found, key=lambda one: (one.order is None, one.order or 0)):
        users = [*copy.users, *_variables(host, copy)]
        if copy.order is not None and copy.kind in ("toolkit", "loose"):
            users.append(User("path", _led_by(host, copy.path)))
            for environment, build in _falling_back(environments):
                key = (environment.path, build.framework)
                if _major(copy.cuda) == _major(build.cuda) is not None and key not in served:
                    served.add(key)
                    users.append(User("environment", environment.path))
        yield replace(copy, users=tuple(dict.fromkeys(users)))


def _led_by(host: Host, root: str) -> str:
    """Return what leads the loader into a folder: on Linux a variable, or what the system's own list names."""
    if host.platform == "windows":
        return "PATH"
    entries = [one for one in host.env.get("LD_LIBRARY_PATH", "").split(":") if one]
    real = quiet_real(host, root)
    named = any(below(host, one, root) or below(host, quiet_real(host, one), real) for one in entries)
    return "LD_LIBRARY_PATH" if named else "/etc/ld.so.conf"


def _variables(host: Host, copy: Copy) -> list[User]:
    names = (name for name in sorted(host.env) if _VARIABLE.fullmatch(name))
    return [
        User("variable", name)
        for name in names
        if copy.kind == "toolkit" and host.env[name] and same(host, host.env[name], copy.path)
    ]


def same(host: Host, one: str, other: str) -> bool:
    return below(host, one, other) and below(host, other, one)


def _falling_back(environments: Iterable[Environment]) -> Iterator[tuple[Environment, FrameworkBuild]]:
    """Return builds for a GPU that bring no CUDA of their line and find none in their environment."""
    for environment in environments:
        own = {_line(name, v) for name, v in wheel_copies(environment).items() if "runtime" in name}
        own |= {p.version.split(".")[0] for p in environment.conda if p.name in _CONDA}
        for build in environment.builds:
            if build.framework in SEARCHING and _major(build.cuda) not in (None, *own):
                yield environment, build


def _major(version: str | Unknown | None) -> str | None:
    return version.split(".")[0] if isinstance(version, str) else None
