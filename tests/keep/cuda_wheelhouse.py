"""An index on loopback with small wheels named like NVIDIA's, and environments that hold some of them."""

from __future__ import annotations

import functools
import hashlib
import io
import sys
import threading
import zipfile
from contextlib import contextmanager
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from cuda_worlds import linux

from trueup.machine.inventory.model import Environment, FrameworkBuild, Package
from trueup.machine.model import Gpu, Python
from trueup.machine.survey import read_survey

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from trueup.machine.inventory.model import Survey

FOLDERS = {
    "nvidia-cuda-runtime": "cuda_runtime",
    "nvidia-cuda-nvrtc": "cuda_nvrtc",
    "nvidia-cuda-nvcc": "cuda_nvcc",
}
SET = {
    "nvidia-cuda-runtime-cu11": "11.8.89", "nvidia-cublas-cu11": "11.11.3.6", "nvidia-cufft-cu11": "10.9.0.58",
    "nvidia-curand-cu11": "10.3.0.86", "nvidia-cusolver-cu11": "11.4.1.48", "nvidia-cusparse-cu11": "11.7.5.86",
    "nvidia-cudnn-cu11": "8.7.0.84", "nvidia-cuda-nvrtc-cu11": "11.8.89", "nvidia-cuda-nvcc-cu11": "11.8.89",
}  # fmt: skip


def members(name: str, version: str, requires: tuple[str, ...] = ()) -> dict[str, str]:
    """Return the files of a wheel, laid out as NVIDIA lays out its own: all share the folder `nvidia`."""
    base = name.rpartition("-cu")[0]
    folder = f"nvidia/{FOLDERS.get(base, base.removeprefix('nvidia-'))}"
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    asks = "".join(f"Requires-Dist: {text}\n" for text in requires)
    files = {
        "nvidia/__init__.py": "",
        f"{folder}/__init__.py": "",
        f"{folder}/lib/lib{base.removeprefix('nvidia-')}.so": f"{name} {version}",
        f"{folder}/include/{base}.h": f"// {version}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{asks}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},,{len(text)}\n" for path, text in files.items())
    return {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}


def wheel(name: str, version: str, requires: tuple[str, ...] = ()) -> bytes:
    return packed(members(name, version, requires))


def listing(line: str, **extras: str) -> dict[str, bytes]:
    """Return NVIDIA's list of a release as a wheel: extra -> the one package that it stands for."""
    told = "".join(
        f"Provides-Extra: {extra}\nRequires-Dist: {rule}; extra == '{extra}'\n"
        for extra, rule in extras.items()
    )
    info = f"cuda_toolkit-{line}.0.dist-info"
    files = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: cuda-toolkit\nVersion: {line}.0\n{told}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/RECORD": "",
    }
    return {f"cuda_toolkit-{line}.0-py3-none-any.whl": packed(files)}


def packed(files: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return data.getvalue()


class Quiet(SimpleHTTPRequestHandler):
    """A folder as a server, without lines in the output of a test."""

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-cache")  # so that uv asks each time
        super().end_headers()


@contextmanager
def serving(folder: Path, wheels: dict[str, bytes]) -> Iterator[str]:
    """Yield the address of an index of wheels, file name -> bytes."""
    for file, data in wheels.items():
        place = folder / "simple" / file.split("-")[0].replace("_", "-")
        place.mkdir(parents=True, exist_ok=True)
        (place / file).write_bytes(data)
        with (place / "index.html").open("a") as page:
            page.write(f'<a href="{file}#sha256={hashlib.sha256(data).hexdigest()}">{file}</a>\n')
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/simple"
    finally:
        server.shutdown()
        server.server_close()


def published(**more: str) -> dict[str, bytes]:
    """Return the wheels of the set for TensorFlow 2.14, and others by `name=version`."""
    named = [*SET.items(), *((name.replace("_", "-"), version) for name, version in more.items())]
    return {f"{n.replace('-', '_')}-{v}-py3-none-any.whl": wheel(n, v) for n, v in named}


def put(site: Path, name: str, version: str, requires: tuple[str, ...] = ()) -> None:
    """Install a wheel by hand."""
    for path, text in members(name, version, requires).items():
        place = site / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)


def packages(site: Path) -> tuple[Package, ...]:
    found = sorted(site.glob("*.dist-info"))
    names = [(path.name.removesuffix(".dist-info").rpartition("-"), path.name) for path in found]
    return tuple(Package(n[0].replace("_", "-"), n[2], str(site), folder) for n, folder in names)


def environment(root: Path, *builds: FrameworkBuild) -> Environment:
    """Return what lies in a folder, with builds of frameworks that are told of and not there."""
    site = root / "lib" / "python3.10" / "site-packages"
    site.mkdir(parents=True, exist_ok=True)
    python = Python("3.10.13", path=sys.executable)
    return Environment(
        str(root), "venv", python, (str(site),), packages(site), ("folder",), builds=builds or (tf(site),)
    )


def tf(site: Path | str = "", version: str = "2.14.1", cuda: str = "11.8", **other: Any) -> FrameworkBuild:
    return FrameworkBuild("tensorflow", "tensorflow", version, cuda, "8", str(site), **other)


def survey(**machine: Any) -> Survey:
    """Return a Linux PC with an RTX 3060 and a driver for CUDA 12.4, unless told otherwise."""
    card = Gpu("NVIDIA GeForce RTX 3060", "8.6", 12288, "nvidia")
    found = read_survey(linux({}))
    told = {"driver": "550.54.15", "gpus": (card,), "glibc": "2.36", "arch": "x86_64", **machine}
    return replace(found, machine=replace(found.machine, **told))


def tree(root: Path) -> dict[str, Any]:
    """Return every path with its content and, but for texts of ours, time; what an import writes does not count."""
    paths = (p for p in root.rglob("*") if "__pycache__" not in p.parts)
    return {
        str(p.relative_to(root)): p.is_dir()
        or (p.read_bytes(), p.suffix == ".txt" or p.stat().st_mtime_ns, p.stat().st_mode)
        for p in sorted(paths)
    }
