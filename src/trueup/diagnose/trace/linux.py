"""The search of Linux: RPATH, LD_LIBRARY_PATH, RUNPATH, the loader's cache, the default folders."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trueup.diagnose.trace.model import Folder, Found
from trueup.facts.binary import BadBinary, Elf, read_elf
from trueup.machine.host import HostError
from trueup.machine.host.quiet import quiet_size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.diagnose.trace.model import Chain, Open
    from trueup.machine.host import Host

DEFAULTS = ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib")
_CACHE_LINE = re.compile(r"^\s+(\S+) \(([^)]*)\) => (\S+)$", re.MULTILINE)
_PROGRAMS = ("/sbin/ldconfig", "/usr/sbin/ldconfig")
_TIMEOUT = 10.0


def read_cache(host: Host) -> Mapping[str, str]:
    """Return name -> path of `ldconfig -p`, 64-bit entries, the first of each; empty where it cannot be asked."""
    for program in _PROGRAMS:
        try:
            result = host.run([program, "-p"], _TIMEOUT)
        except HostError:
            return {}
        if result is not None and result.code == 0:
            rows = _CACHE_LINE.findall(result.out)
            return {name: path for name, kind, path in reversed(rows) if "64" in kind}
    return {}


@dataclass(slots=True)
class LinuxSearch:
    """`first`: folders from which a hook loads before anything else. `cache`: what ldconfig knows."""

    host: Host
    open: Open
    first: tuple[str, ...] = ()
    cache: Mapping[str, str] = field(default_factory=dict)
    _read: dict[str, Elf | None] = field(default_factory=dict)

    def imported(self, name: str, chain: Chain) -> Found:
        by = chain.files[0]
        elf = self._elf(by)
        runpath = elf.runpath if elf is not None else ()
        folders = (
            [] if runpath else [Folder(path, "rpath") for one in chain.files for path in self._rpath(one)]
        )
        libraries = self.host.env.get("LD_LIBRARY_PATH", "").split(":")
        folders += [Folder(one, "ld-library-path") for one in libraries if one]
        folders += [Folder(_expanded(one, by), "runpath") for one in runpath]
        return self._look(name, folders)

    def loaded(self, name: str, chain: Chain) -> Found:
        """Find a name for dlopen: as an import of the file that calls, after what a hook has loaded."""
        for folder in self.first:
            path = posixpath.join(folder, name)
            if quiet_size(self.host, path) is not None:
                return Found(path, "environment", (folder,))
        return self.imported(name, chain)

    def key(self, name: str) -> str:
        return name

    def _rpath(self, path: str) -> tuple[str, ...]:
        """Return a file's RPATH, which a RUNPATH in the same file switches off."""
        elf = self._elf(path)
        if elf is None or elf.runpath:
            return ()
        return tuple(_expanded(one, path) for one in elf.rpath)

    def _elf(self, path: str) -> Elf | None:
        if path not in self._read:
            try:
                with self.open(path) as file:
                    self._read[path] = read_elf(file)
            except (BadBinary, OSError):
                self._read[path] = None
        return self._read[path]

    def _look(self, name: str, folders: list[Folder]) -> Found:
        hits: list[tuple[str, Folder]] = [
            (path, folder)
            for folder in folders
            if quiet_size(self.host, path := posixpath.join(folder.path, name)) is not None
        ]
        cached = self.cache.get(name)
        if cached is not None:
            hits.append((cached, Folder(posixpath.dirname(cached), "cache")))
        hits += [
            (path, Folder(folder, "default"))
            for folder in DEFAULTS
            if not hits and quiet_size(self.host, path := posixpath.join(folder, name)) is not None
        ]
        looked = tuple(dict.fromkeys([*(folder.path for folder in folders), "ld.so.cache", *DEFAULTS]))
        if not hits:
            return Found(None, None, looked)
        others = tuple(dict.fromkeys(path for path, _ in hits[1:] if path != hits[0][0]))
        return Found(hits[0][0], hits[0][1].origin, looked, others)


def _expanded(folder: str, by: str) -> str:
    here = posixpath.dirname(by)
    return posixpath.normpath(folder.replace("${ORIGIN}", here).replace("$ORIGIN", here))
