"""The loader's view of TensorFlow 2.10 for Windows with its CUDA libraries: time, and bytes that were read.

    python bench/trace.py SITE_PACKAGES [--runs 9]

SITE_PACKAGES is an unpacked set of Windows wheels, on any system; the search answers as Windows would, with the
hook of an environment that trueup built. Budget: at most 0.5 s, about 1 MB read.
"""

from __future__ import annotations

import argparse
import fnmatch
import io
import os
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from trueup.diagnose.trace.begin import trace_build
from trueup.machine.inventory.environments import read_environment
from trueup.machine.model import Python

if TYPE_CHECKING:
    from collections.abc import Mapping

SECONDS, BYTES = 0.5, 1_500_000
ENV = "D:\\env"
SITE = ENV + "\\Lib\\site-packages"


class Mapped:
    """A Windows whose one environment is a folder of this machine; spelling counts as on Windows: not."""

    platform = "windows"

    def __init__(self, site: Path) -> None:
        self.env: Mapping[str, str] = {
            "SYSTEMROOT": "C:\\Windows",
            "PATH": f"{ENV}\\Scripts;C:\\Windows\\System32",
        }
        self._files: dict[str, Path] = {}
        self._folders: dict[str, list[str]] = {}
        for folder, names, files in os.walk(site):
            inside = "\\".join([SITE, *Path(folder).relative_to(site).parts]).lower()
            self._folders[inside] = sorted(names + files)
            self._files |= {f"{inside}\\{name}".lower(): Path(folder, name) for name in files}
        self._folders[SITE.lower()].append("trueup.pth")
        self.read = 0

    def size(self, path: str) -> int | None:
        folder, _, name = path.lower().rpartition("\\")
        if folder == "c:\\windows\\system32":  # what Windows, Python and the driver bring
            return None if name.startswith("cu") else 1
        found = self._files.get(path.lower())
        return found.stat().st_size if found else None

    def list_dir(self, path: str) -> tuple[str, ...] | None:
        names = self._folders.get(path.lower())
        return None if names is None else tuple(names)

    def match(self, path: str, *patterns: str) -> tuple[str, ...] | None:
        names = self.list_dir(path)
        return names and tuple(
            n for n in names if any(fnmatch.fnmatch(n.lower(), p.lower()) for p in patterns)
        )

    def read_text(self, path: str) -> str | None:
        if path == f"{ENV}\\pyvenv.cfg":
            return "home = C:\\Python310\nversion = 3.10.11\n"
        found = self._files.get(path.lower())
        return found.read_text("utf-8", "replace") if found else None

    def read_head(self, path: str) -> bytes | None:
        found = self._files.get(path.lower())
        return found.read_bytes()[:4096] if found else None

    def real_path(self, path: str) -> str:
        return path

    def open(self, path: str) -> BinaryIO:
        return _Counted(self._files[path.lower()], self)


class _Counted(io.FileIO):
    def __init__(self, path: Path, host: Mapped) -> None:
        super().__init__(path)
        self._host = host

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self._host.read += len(data)
        return data

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        self._host.read += count
        return count


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("site", type=Path)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    host: Any = Mapped(options.site)
    environment = read_environment(host, ENV, ("folder",), (Python("3.10.11", 64, None),))
    build = environment.build("tensorflow") if environment else None
    if environment is None or build is None:
        print(f"no TensorFlow in {options.site}", file=sys.stderr)
        return 2
    seconds, found = [], None
    for _ in range(options.runs):
        host.read, start = 0, time.perf_counter()
        found = trace_build(host, environment, build, host.open)
        seconds.append(time.perf_counter() - start)
    nodes = found.nodes if found else ()
    size = sum(host.size(node.found.path) or 0 for node in nodes if node.found.path)
    missing = [node.name for node in nodes if node.missing]
    median = statistics.median(seconds)
    print(
        f"{build.package} {build.version}: {len(nodes)} names, {size / 1e9:.2f} GB of files; not there: {missing}"
    )
    print(f"median {median:.3f} s (limit {SECONDS}), {host.read / 1e6:.2f} MB read (limit {BYTES / 1e6})")
    return int(median > SECONDS or host.read > BYTES)


if __name__ == "__main__":
    sys.exit(main())
