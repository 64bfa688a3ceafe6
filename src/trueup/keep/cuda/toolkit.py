"""One toolkit folder in depth: what it says of itself, and what its files say."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.inventory.cuda import header_version, release_of, toolkit_version, version_of_name
from trueup.machine.pythons.common import bits
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.machine.host import Host

FOLDERS: Final = {"windows": (("bin",), ("bin", "x64")), "linux": (("lib64",), ("lib",))}
IMPORT_FOLDERS: Final = (("lib", "x64"), ("lib",))
_WINDOWS: Final = re.compile(
    r"(?P<stem>[A-Za-z_-]+?)(?P<bits>64|32)_(?P<line>\d+)(_\d+)?\.dll$", re.IGNORECASE
)
_LINUX: Final = re.compile(r"lib(?P<stem>[A-Za-z_]+)\.so\.(?P<line>\d+)")
_NVCC: Final = re.compile(r"release (\d+\.\d+)")
_WANTED: Final = ("cudart", "cublas", "cublaslt", "cufft", "curand", "cusolver", "cusparse")
CUDNN_PARTS: Final = {
    7: ("cudnn",),
    8: ("cudnn", "cudnn_ops_infer", "cudnn_cnn_infer", "cudnn_adv_infer", "cudnn_ops_train",
        "cudnn_cnn_train", "cudnn_adv_train"),
    9: ("cudnn", "cudnn_graph", "cudnn_ops", "cudnn_cnn", "cudnn_adv", "cudnn_heuristic",
        "cudnn_engines_precompiled", "cudnn_engines_runtime_compiled"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Library:
    """A library of CUDA or cuDNN. `stem` is its name without the numbers; `line` the number in it, 110 or 8."""

    name: str
    path: str
    stem: str
    line: int
    version: str | Unknown
    bits: int


@dataclass(frozen=True, slots=True)
class Toolkit:
    """`version` is what the folder claims; `components` what its version.json lists; `header` is cuDNN's.

    `hidden`: why its folder of libraries could not be looked into; then nothing is said of what is not there.
    """

    root: str
    version: str | Unknown
    components: Mapping[str, str]
    nvcc: str | Unknown | None
    libraries: tuple[Library, ...]
    header: str | None
    import_library: bool
    hidden: Message | None = None

    @property
    def cudnn(self) -> tuple[Library, ...]:
        return tuple(one for one in self.libraries if one.stem in ALL_PARTS)

    def of(self, stem: str) -> tuple[Library, ...]:
        return tuple(one for one in self.libraries if one.stem == stem)


ALL_PARTS: Final = frozenset(part for parts in CUDNN_PARTS.values() for part in parts)


def folders(host: Host, root: str) -> tuple[str, ...]:
    """Return where a toolkit keeps its libraries."""
    join = path_of(host).join
    places = FOLDERS["windows" if host.platform == "windows" else "linux"]
    return tuple(str(join(root, *place)) for place in places)


def read_toolkit(host: Host, root: str) -> Toolkit | None:
    """Return what is in a folder; None where it is no toolkit."""
    version = toolkit_version(host, root)
    if version is None:
        return None
    return Toolkit(
        root=root,
        version=version,
        components=_components(host, root),
        nvcc=_nvcc(host, root),
        libraries=tuple(_libraries(host, root)),
        header=header_version(host, path_of(host).join(root, "include")),
        import_library=_has_import_library(host, root),
        hidden=_hidden(host, root),
    )


def _hidden(host: Host, root: str) -> Message | None:
    """Ask for the first folder of libraries: without rights, or in a recording that never asked, nothing is known."""
    try:
        host.list_dir(folders(host, root)[0])
    except HostError as error:
        return error.why
    return None


def missing_parts(libraries: tuple[Library, ...]) -> tuple[str, ...]:
    """Return the parts of cuDNN that are not there, of the newest major of which anything is."""
    if not libraries:
        return ()
    line = max(one.line for one in libraries)
    there = {one.stem for one in libraries if one.line == line}
    return tuple(part for part in CUDNN_PARTS.get(line, ()) if part not in there)


def missing_of_toolkit(toolkit: Toolkit) -> tuple[str, ...]:
    there = {one.stem for one in toolkit.libraries}
    return tuple(stem for stem in _WANTED if stem not in there)


def _components(host: Host, root: str) -> dict[str, str]:
    try:
        text = host.read_text(path_of(host).join(root, "version.json")) or "{}"
        rows = json.loads(text)
        return {name: str(row["version"]) for name, row in rows.items() if "version" in row}
    except (HostError, ValueError, AttributeError, TypeError):
        return {}


def _nvcc(host: Host, root: str) -> str | Unknown | None:
    """Ask the compiler itself: a copied one says what it is, whatever lies beside it."""
    paths = path_of(host)
    path = paths.join(root, "bin", "nvcc.exe" if host.platform == "windows" else "nvcc")
    if quiet_size(host, path) is None:
        return None
    try:
        answer = host.run([path, "--version"], 10.0)
    except HostError as error:
        return Unknown(error.why)
    found = _NVCC.search(answer.out) if answer else None
    return found[1] if found else Unknown(Message("cuda.nvcc-silent", {"path": path}))


def _libraries(host: Host, root: str) -> Iterator[Library]:
    """Yield each library once; two copies of one name in two folders only where they are of two versions."""
    seen: set[tuple[str, int, str]] = set()
    for folder in folders(host, root):
        for one in read_folder(host, folder):
            key = (one.stem, one.line, one.version if isinstance(one.version, str) else "")
            if key not in seen:
                seen.add(key)
                yield one


def read_folder(host: Host, folder: str) -> Iterator[Library]:
    """Return the libraries of one folder, each once: Linux has two links to one file."""
    once: dict[tuple[str, int, int], Library] = {}
    for name in quiet_list(host, folder):
        path = str(path_of(host).join(folder, name))
        if found := library_of(host, path, name):
            once.setdefault((found.stem, found.line, found.bits), found)
    yield from once.values()


def library_of(host: Host, path: str, name: str) -> Library | None:
    """Return what a file is, by its name, its header and its own version; None for any other file."""
    if name.lower() == "zlibwapi.dll":
        return Library(name, path, "zlibwapi", 1, Unknown(Message("machine.not-read")), bits(host, path))
    windows = host.platform == "windows"
    found = (_WINDOWS if windows else _LINUX).match(name)
    if found is None:
        return None
    stem = found["stem"].lower()
    if stem not in (*_WANTED, *ALL_PARTS):
        return None
    version = _windows_version(host, path, stem) if windows else _linux_version(host, path)
    return Library(name, path, stem, int(found["line"]), version, bits(host, path))


def _windows_version(host: Host, path: str, stem: str) -> str | Unknown:
    """Read the resource. Of CUDA's own libraries only the runtime's and cuBLAS' numbers are known to mean one."""
    silent = Unknown(Message("machine.no-version-resource", {"path": path}))
    try:
        resource = host.file_version(path)
    except HostError as error:
        return Unknown(error.why)
    if stem in ("cudart", "cublas", "cublaslt"):
        return release_of(resource) or silent
    old = resource is None or resource.startswith(("0.", "6.14."))
    return silent if old or stem not in ALL_PARTS or resource is None else resource


def _linux_version(host: Host, path: str) -> str | Unknown:
    """Return the version in a file's real name; a soname alone, such as libcudart.so.12, is none."""
    found = version_of_name(host, path)
    if isinstance(found, Unknown) or "." in found:
        return found
    return Unknown(Message("machine.no-version-resource", {"path": path}))


def _has_import_library(host: Host, root: str) -> bool:
    """Tell whether programs could be linked against the cuDNN in it; only those who compile need that."""
    join = path_of(host).join
    if host.platform == "windows":
        return any(quiet_size(host, join(root, *place, "cudnn.lib")) is not None for place in IMPORT_FOLDERS)
    return any(quiet_size(host, join(folder, "libcudnn.so")) is not None for folder in folders(host, root))
