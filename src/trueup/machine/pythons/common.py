"""What both systems share: conda prefixes, pyenv and uv folders, and the header of a program file."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.model import Python

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.machine.host import Host

VERSION = re.compile(r"(\d+\.\d+(?:\.\d+)?(?:(?:a|b|rc)\d+)?)")
_CONDA_FOLDERS = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")
_PE_BITS = {0x8664: 64, 0x14C: 32, 0xAA64: 64}


def home(host: Host) -> str:
    return host.env.get("USERPROFILE" if host.platform == "windows" else "HOME", "")


def executable(host: Host, prefix: str) -> str:
    """Return where an installation in `prefix` keeps its interpreter."""
    join = path_of(host).join
    return str(join(prefix, "python.exe") if host.platform == "windows" else join(prefix, "bin", "python3"))


def bits(host: Host, path: str) -> int:
    """Return the word size by the file's header; 64 where it cannot be read, as nearly all are."""
    try:
        head = host.read_head(path) or b""
    except HostError:
        return 64
    if head[:4] == b"\x7fELF" and len(head) > 4:
        return 32 if head[4] == 1 else 64
    if head[:2] == b"MZ" and len(head) >= 0x40:
        at = struct.unpack_from("<I", head, 0x3C)[0]
        if len(head) >= at + 6 and head[at : at + 4] == b"PE\0\0":
            return _PE_BITS.get(struct.unpack_from("<H", head, at + 4)[0], 64)
    return 64


def conda_prefixes(host: Host) -> tuple[str, ...]:
    """Return base installations and environments: conda writes each into environments.txt."""
    join = path_of(host).join
    roots = [home(host), host.env.get("LOCALAPPDATA", ""), host.env.get("PROGRAMDATA", ""), "/opt"]
    places = [join(root, name) for root in roots if root for name in _CONDA_FOLDERS]
    if prefix := host.env.get("CONDA_PREFIX"):
        places.insert(0, prefix)
    try:
        listed = (host.read_text(join(home(host), ".conda", "environments.txt")) or "").splitlines()
    except HostError:
        listed = []
    return tuple(dict.fromkeys(place.strip() for place in (*places, *listed) if place.strip()))


def conda_pythons(host: Host) -> Iterator[Python]:
    for prefix in conda_prefixes(host):
        version = conda_version(host, prefix)
        if version is not None:
            path = executable(host, prefix)
            yield Python(version, bits(host, path), path, "conda")


def conda_version(host: Host, prefix: str) -> str | None:
    """Return the Python of a conda prefix by its package record's name: python-3.10.4-h6244533_0.json."""
    for name in quiet_list(host, path_of(host).join(prefix, "conda-meta")):
        found = re.match(r"python-(\d+\.\d+\.\d+)-", name)
        if found:
            return found[1]
    return None


def folder_pythons(host: Host, root: str, kind: str) -> Iterator[Python]:
    """Return the interpreters of a folder that holds one a subfolder, named by its version (pyenv, uv)."""
    join = path_of(host).join
    for name in quiet_list(host, root):
        found = VERSION.search(name)
        path = executable(host, join(root, name))
        if found and "pypy" not in name.lower() and quiet_size(host, path) is not None:
            yield Python(found[1], bits(host, path), path, kind)


def in_venv(host: Host, path: str) -> bool:
    paths = path_of(host)
    folder = paths.dirname(path)
    return any(
        quiet_size(host, paths.join(place, "pyvenv.cfg")) is not None
        for place in (folder, paths.dirname(folder))
    )
