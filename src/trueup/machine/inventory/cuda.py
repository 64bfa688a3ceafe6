"""Copies of CUDA and cuDNN: version, where each came from, and its place in the loader's search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.inventory.model import CudaCopy
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.machine.host import Host
    from trueup.machine.inventory.model import CudaKind, CudaOrigin, Environment

_LIBRARIES = ("cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse")
_WINDOWS_FILES = ("cudart64_*.dll", "cudnn64_*.dll", "zlibwapi.dll", *(f"{n}64_*.dll" for n in _LIBRARIES))
_LINUX_FILES = ("libcudart.so.*", "libcudnn.so.*", *(f"lib{n}.so.*" for n in _LIBRARIES))
_SYSTEM_FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib")
_HEADER = re.compile(r"#define CUDNN_(MAJOR|MINOR|PATCHLEVEL)\s+(\d+)")
# CUDA lines by the number in the file's name where the version resource is silent
_BY_NAME = {
    "110": "11",
    "12": "12",
    "13": "13",
    "101": "10.1",
    "102": "10.2",
    "100": "10.0",
    "90": "9.0",
    "80": "8.0",
}


@dataclass(frozen=True, slots=True)
class Folder:
    path: str
    origin: CudaOrigin
    order: int | None


def read_cuda(host: Host) -> tuple[CudaCopy, ...]:
    """Return what the machine brings; what environments bring is in their packages."""
    found: dict[tuple[str, str], CudaCopy] = {}
    for copy in _all(host):
        key = (copy.kind, path_of(host).normcase(copy.path))
        known = found.get(key)
        if known is None or (known.order is None and copy.order is not None):
            found[key] = copy
    return tuple(sorted(found.values(), key=lambda copy: (copy.order is None, copy.order or 0)))


def _all(host: Host) -> Iterator[CudaCopy]:
    for root, origin in _toolkits(host):
        version = toolkit_version(host, root)
        if version is not None:
            yield CudaCopy("toolkit", version, root, origin)
    for folder in _folders(host):
        yield from _copies(host, folder)


def _toolkits(host: Host) -> Iterator[tuple[str, CudaOrigin]]:
    join = path_of(host).join
    if host.platform == "windows":
        base = join(_programs(host), "NVIDIA GPU Computing Toolkit", "CUDA")
        names = _match(host, base, "v*")
    else:
        base = "/usr/local"
        names = _match(host, base, "cuda-*") or _match(host, base, "cuda")
    for name in names:
        yield join(base, name), "toolkit"
    for name, value in sorted(host.env.items()):
        if re.fullmatch(r"CUDA_(PATH(_V\d+_\d+)?|HOME)", name, re.IGNORECASE) and value:
            yield path_of(host).normpath(value), "variable"


def toolkit_version(host: Host, root: str) -> str | Unknown | None:
    """Return the version of a toolkit folder; None where it is none. 10 and older have a version.txt."""
    join = path_of(host).join
    for name in ("version.json", "version.txt"):
        try:
            text = host.read_text(join(root, name))
        except HostError as error:
            return Unknown(error.why)
        if text and (found := _version_in(name, text)):
            return found
    folder = re.search(r"(\d+\.\d+)$", root)
    there = _match(host, join(root, "bin"), "nvcc", "nvcc.exe", "cudart64_*.dll")
    return folder[1] if folder and there else None


def _version_in(name: str, text: str) -> str | None:
    if name == "version.txt":
        found = re.search(r"CUDA Version (\d+\.\d+(\.\d+)?)", text)
    else:
        found = re.search(r'"cuda"\s*:\s*\{[^}]*"version"\s*:\s*"([\d.]+)"', text)
    return found[1] if found else None


def _folders(host: Host) -> list[Folder]:
    """Return the folders in the order in which the loader would look, then those it does not look into."""
    join = path_of(host).join
    if host.platform == "windows":
        root = host.env.get("SYSTEMROOT", "C:\\Windows")
        searched = [Folder(join(root, "System32"), "system", 0)]
        parts = [part.strip('"') for part in host.env.get("PATH", "").split(";")]
        searched += [Folder(part, _origin(part), n + 1) for n, part in enumerate(parts) if part]
        bins = [join(where, *tail) for where, _ in _toolkits(host) for tail in (("bin",), ("bin", "x64"))]
        loose = [join(_programs(host), "NVIDIA", "CUDNN", name, "bin") for name in _cudnn_folders(host)]
        return [*searched, *(Folder(place, "toolkit", None) for place in (*bins, *loose))]
    parts = host.env.get("LD_LIBRARY_PATH", "").split(":")
    searched = [Folder(part, "path", n) for n, part in enumerate(parts) if part]
    searched += [Folder(part, "system", len(parts) + n) for n, part in enumerate(loader_folders(host))]
    return [*searched, *(Folder(join(where, "lib64"), "toolkit", None) for where, _ in _toolkits(host))]


def loader_folders(host: Host) -> tuple[str, ...]:
    """Return the folders that Linux' loader knows: those of ld.so.conf, then the usual ones."""
    return tuple(dict.fromkeys([*_ld_conf(host), *_SYSTEM_FOLDERS]))


def _origin(folder: str) -> CudaOrigin:
    low = folder.lower()
    if "nvidia gpu computing toolkit" in low:
        return "toolkit"
    return "conda" if low.rstrip("\\").endswith("library\\bin") else "path"


def _programs(host: Host) -> str:
    return host.env.get("PROGRAMFILES", "C:\\Program Files")


def _cudnn_folders(host: Host) -> tuple[str, ...]:
    return _match(host, path_of(host).join(_programs(host), "NVIDIA", "CUDNN"), "v*")


def _ld_conf(host: Host) -> list[str]:
    folders = []
    for name in _match(host, "/etc/ld.so.conf.d", "*.conf"):
        text = _quiet_text(host, f"/etc/ld.so.conf.d/{name}")
        folders += [line.strip() for line in text.splitlines() if line.startswith("/")]
    return folders


def _copies(host: Host, folder: Folder) -> Iterator[CudaCopy]:
    windows = host.platform == "windows"
    names = _match(host, folder.path, *(_WINDOWS_FILES if windows else _LINUX_FILES))
    for name in names if windows else _one_a_library(names):
        path = path_of(host).join(folder.path, name)
        kind = _kind(name)
        version = _windows_version(host, path, kind) if windows else version_of_name(host, path)
        yield CudaCopy(kind, version, path, folder.origin, folder.order)


def _kind(name: str) -> CudaKind:
    low = name.lower().removeprefix("lib")
    starts: dict[str, CudaKind] = {"zlib": "zlib", "cudnn": "cudnn", "cudart": "runtime"}
    return next((kind for start, kind in starts.items() if low.startswith(start)), "library")


def _one_a_library(names: tuple[str, ...]) -> list[str]:
    """Of libcudnn.so.8, libcudnn.so.8.9.5 keep the longest: its name is the version."""
    longest: dict[str, str] = {}
    for name in names:
        key = ".".join(name.split(".")[:3])
        longest[key] = max(longest.get(key, ""), name, key=len)
    return sorted(longest.values())


def version_of_name(host: Host, path: str) -> str | Unknown:
    """Return the version in the name that a library's links end at: libcudnn.so.8 -> libcudnn.so.8.9.5."""
    try:
        real = host.real_path(path)
    except HostError:
        real = path
    found = re.search(r"\.so\.([\d.]+)$", real)
    return found[1] if found else Unknown(Message("machine.no-version-resource", {"path": path}))


def _windows_version(host: Host, path: str, kind: CudaKind) -> str | Unknown:
    """Read the header beside a cuDNN, else the resource: NVIDIA writes 6.14.11.11080 for CUDA 11.8."""
    if kind == "library":
        return _number(path)
    if kind == "cudnn" and (version := _cudnn_header(host, path)):
        return version
    try:
        resource = host.file_version(path)
    except HostError as error:
        return Unknown(error.why)
    if kind == "runtime" and (release := release_of(resource)):
        return release
    if kind != "runtime" and resource and not resource.startswith(("0.", "6.14.")):
        return resource
    return _by_name(path) or Unknown(Message("machine.no-version-resource", {"path": path}))


def release_of(resource: str | None) -> str | None:
    """Return the release that a resource of the CUDA runtime or of cuBLAS tells: 6.14.11.11080 is 11.8."""
    found = re.fullmatch(r"6\.14\.11\.(\d{4,5})", resource or "")
    return f"{int(found[1]) // 1000}.{int(found[1]) % 1000 // 10}" if found else None


def _number(path: str) -> str | Unknown:
    """Return the number in a DLL's name: no resource is opened for those that only have to be there."""
    found = re.search(r"_(\d+)\.dll$", path)
    return found[1] if found else Unknown(Message("machine.no-version-resource", {"path": path}))


def _by_name(path: str) -> str | None:
    found = re.search(r"_(\d+)\.dll$", path)
    if found is None:
        return None
    return found[1] if "cudnn" in path.lower() else _BY_NAME.get(found[1])


def _cudnn_header(host: Host, dll: str) -> str | None:
    paths = path_of(host)
    folders = (paths.dirname(paths.dirname(dll)), paths.dirname(dll))
    return next((found for up in folders if (found := header_version(host, paths.join(up, "include")))), None)


def header_version(host: Host, include: str) -> str | None:
    """Return the release of the cuDNN whose headers lie in a folder."""
    for name in ("cudnn_version.h", "cudnn.h"):
        if found := version_of_header(_quiet_text(host, path_of(host).join(include, name))):
            return found
    return None


def version_of_header(text: str) -> str | None:
    """Return the release that a header of cuDNN defines."""
    numbers = dict(_HEADER.findall(text))
    if len(numbers) != 3:
        return None
    return f"{numbers['MAJOR']}.{numbers['MINOR']}.{numbers['PATCHLEVEL']}"


def wheel_copies(environment: Environment) -> Mapping[str, str]:
    """Return distribution -> version of the NVIDIA wheels of an environment."""
    return {
        package.name: package.version
        for package in environment.packages
        if package.name.startswith("nvidia-")
    }


def _match(host: Host, folder: str, *patterns: str) -> tuple[str, ...]:
    try:
        return host.match(folder, *patterns) or ()
    except HostError:
        return ()


def _quiet_text(host: Host, path: str) -> str:
    try:
        return host.read_text(path) or ""
    except HostError:
        return ""
