"""Packages of conda with real files in them, made here, in a channel on loopback: enough to build and run from."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import subprocess
import sys
import sysconfig
import tarfile
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conda_channel import Quiet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MINOR = f"{sys.version_info.major}.{sys.version_info.minor}"
SITE = f"lib/python{MINOR}/site-packages"
# parts of the standard library that nothing here imports, and that would only be packed and unpacked
LEFT_OUT = {
    "test", "tests", "idlelib", "tkinter", "lib2to3", "pydoc_data", "turtledemo", "site-packages", "__pycache__",
    "ensurepip", "unittest", "wsgiref", "curses", "sqlite3",
}  # fmt: skip
NOT_IMPORTED = (
    "_test",
    "_codecs_",
    "_xx",
    "xx",
    "_sqlite3",
    "_tkinter",
    "_curses",
    "_dbm",
    "_gdbm",
    "audioop",
    "ossaudiodev",
)


@dataclass(frozen=True)
class Package:
    """`files`: place in the environment -> content, a path of this machine, or the target of a link after `->`."""

    name: str
    version: str
    build: str = "0"
    files: Mapping[str, str | bytes | Path] = field(default_factory=dict)
    depends: tuple[str, ...] = ()
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return f"{self.name}-{self.version}-{self.build}.tar.bz2"

    def row(self, data: bytes) -> dict[str, Any]:
        return {
            **self.index,
            "md5": hashlib.md5(data).hexdigest(),  # noqa: S324  # what an explicit list names
            "sha256": hashlib.sha256(data).hexdigest(),
            "size": len(data),
        }

    @property
    def index(self) -> dict[str, Any]:
        return {
            "name": self.name, "version": self.version, "build": self.build, "build_number": 0,
            "depends": list(self.depends), "subdir": "linux-64", "arch": "x86_64", "platform": "linux", **self.more,
        }  # fmt: skip


def pack(package: Package) -> bytes:
    """Return the package as a file of conda's first format."""
    out = io.BytesIO()
    paths = []
    with tarfile.open(fileobj=out, mode="w:bz2", compresslevel=1) as tar:
        for name, content in package.files.items():
            kind = "softlink" if isinstance(content, str) and content.startswith("->") else "hardlink"
            data = (
                content.read_bytes()
                if isinstance(content, Path)
                else content
                if isinstance(content, bytes)
                else content.encode()
            )
            mode = 0o755 if name.startswith("bin/") else 0o644
            _add(
                tar,
                name,
                data,
                mode,
                link=content[2:] if kind == "softlink" and isinstance(content, str) else "",
            )
            row = {"_path": name, "path_type": kind}
            sums = {"sha256": hashlib.sha256(data).hexdigest(), "size_in_bytes": len(data)}
            paths.append(row | (sums if kind == "hardlink" else {}))
        for name, text in (
            ("info/index.json", json.dumps(package.index)),
            ("info/paths.json", json.dumps({"paths": paths, "paths_version": 1})),
            ("info/files", "".join(f"{name}\n" for name in package.files)),
        ):
            _add(tar, name, text.encode(), 0o644)
    return out.getvalue()


def _add(tar: tarfile.TarFile, name: str, data: bytes, mode: int, link: str = "") -> None:
    info = tarfile.TarInfo(name)
    info.mode, info.mtime = mode, 1_700_000_000
    if link:
        info.type, info.linkname = tarfile.SYMTYPE, link
        tar.addfile(info)
    else:
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))


def dist(
    name: str, version: str, files: Mapping[str, str] | None = None, *, requires: tuple[str, ...] = ()
) -> dict[str, str | bytes | Path]:
    """Return the files of a distribution, as conda lays them out."""
    info = f"{SITE}/{name}-{version}.dist-info"
    own = {f"{SITE}/{place}": text for place, text in (files or {f"{name}/__init__.py": ""}).items()}
    asked = "".join(f"Requires-Dist: {one}\n" for one in requires)
    every = {
        **own,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{asked}",
        f"{info}/INSTALLER": "conda",
    }
    names = [place.removeprefix(SITE + "/") for place in (*every, f"{info}/RECORD")]
    return {**every, f"{info}/RECORD": "".join(f"{place},,\n" for place in names)}


@functools.cache
def python_package() -> Package:
    """Return this very Python as a package: its program finds its shared library, if it has one, by a path of this disk."""
    library = Path(sysconfig.get_path("stdlib"))
    files: dict[str, str | bytes | Path] = {
        f"bin/python{MINOR}": Path(sys.executable).resolve(),
        "bin/python": f"->python{MINOR}",
        "bin/python3": f"->python{MINOR}",
        f"{SITE}/README.txt": "packages\n",
    }
    for path in sorted(library.rglob("*")):
        inside = path.relative_to(library)
        left_out = LEFT_OUT.intersection(inside.parts) or inside.parts[0].startswith("config-")
        left_out = left_out or (inside.parts[0] == "lib-dynload" and inside.name.startswith(NOT_IMPORTED))
        if path.is_file() and not left_out:
            files[f"lib/python{MINOR}/{inside.as_posix()}"] = path
    version = ".".join(map(str, sys.version_info[:3]))
    return Package("python", version, "h1_0_cpython", files)


@functools.cache
def packed(package_name: str) -> bytes:
    """Return the packed Python once for all tests."""
    assert package_name == "python"
    return pack(python_package())


@functools.cache
def pip_package() -> Package:
    """Return the pip that comes with this Python."""
    import ensurepip
    import zipfile

    [path] = (Path(ensurepip.__file__).parent / "_bundled").glob("pip-*.whl")
    with zipfile.ZipFile(path) as archive:
        files = {
            f"{SITE}/{name}": archive.read(name)
            for name in archive.namelist()
            if name.endswith((".py", "METADATA", "RECORD", ".pem", "entry_points.txt"))
        }
    version = path.name.split("-")[1]
    return Package("pip", version, "py_0", files, ("python",))


@contextmanager
def served(folder: Path, *packages: Package, name: str = "conda-forge") -> Iterator[str]:
    """Serve the packages as a channel and yield the address of its server."""
    place = folder / name / "linux-64"
    place.mkdir(parents=True, exist_ok=True)
    rows = {}
    for package in packages:
        data = packed("python") if package.name == "python" else pack(package)
        (place / package.file).write_bytes(data)
        rows[package.file] = package.row(data)
    _repodata(place, "linux-64", rows)
    noarch = folder / name / "noarch"
    noarch.mkdir(exist_ok=True)
    _repodata(noarch, "noarch", {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def _repodata(place: Path, subdir: str, rows: dict[str, Any]) -> None:
    document = {"info": {"subdir": subdir}, "packages": rows, "packages.conda": {}, "repodata_version": 1}
    (place / "repodata.json").write_text(json.dumps(document))


def wheel(folder: Path, name: str, version: str, files: Mapping[str, str]) -> Path:
    """Write a wheel of pure Python and return its path."""
    import zipfile

    path = folder / f"{name}-{version}-py3-none-any.whl"
    info = f"{name}-{version}.dist-info"
    rest = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    names = [*files, *rest, f"{info}/RECORD"]
    with zipfile.ZipFile(path, "w") as archive:
        for place, text in {**files, **rest}.items():
            archive.writestr(place, text)
        archive.writestr(f"{info}/RECORD", "".join(f"{place},,\n" for place in names))
    return path


def into(prefix: Path, *words: str) -> None:
    """Install with uv into an environment of conda, as a user's `pip install` would."""
    from uv import find_uv_bin

    python = str(prefix / "bin" / "python")
    subprocess.run(
        [find_uv_bin(), "pip", "install", "--python", python, "--no-deps", "--offline", *words],
        check=True, capture_output=True,
    )  # fmt: skip
