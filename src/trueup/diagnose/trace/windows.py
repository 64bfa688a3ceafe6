"""The two searches of Windows: for imports of a module that Python loads, and for names at run time.

Python from 3.8 on loads extension modules with LOAD_LIBRARY_SEARCH_DEFAULT_DIRS: their folder, the program's,
System32 and folders that were added, for all that they import in turn; PATH is not searched. `LoadLibrary` with a bare name, as TensorFlow and
cuDNN use it, searches the program's folder, System32, Windows, the current folder and PATH; added folders are not.
"""

from __future__ import annotations

import ntpath
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.diagnose.trace.model import Folder, Found
from trueup.machine.host.quiet import quiet_size

if TYPE_CHECKING:
    from trueup.diagnose.trace.model import Chain
    from trueup.machine.host import Host

VC_RUNTIME = ("msvcp140", "vcruntime140")  # TensorFlow asks for it through ctypes
API_SETS = ("api-ms-", "ext-ms-")


@dataclass(frozen=True, slots=True)
class WindowsSearch:
    """`added`: folders of os.add_dll_directory; `first`: those that a hook puts in front of PATH."""

    host: Host
    program: str
    python: tuple[int, int]
    added: tuple[str, ...] = ()
    first: tuple[str, ...] = ()

    def imported(self, name: str, chain: Chain) -> Found:
        if not chain.by_path:
            return self._look(name, self._standard())
        own = Folder(ntpath.dirname(chain.files[-1]), "own-folder")
        return self._look(name, [own, *(self._safe() if self.python >= (3, 8) else self._standard())])

    def loaded(self, name: str, chain: Chain) -> Found:  # noqa: ARG002  # a bare name does not care who asks
        by_ctypes = name.lower().startswith(VC_RUNTIME) and self.python >= (3, 8)
        return self._look(name, self._safe() if by_ctypes else self._standard())

    def key(self, name: str) -> str:
        return name.lower()

    def _safe(self) -> list[Folder]:
        added = [Folder(path, "added") for path in self.added]
        return [*added, *self._application(), self._system32()]

    def _application(self) -> list[Folder]:
        return [Folder(self.program, "application")] if self.program else []

    def _standard(self) -> list[Folder]:
        path = [part.strip('"') for part in self.host.env.get("PATH", "").split(";")]
        return [
            *self._application(),
            self._system32(),
            Folder(self._root(), "windows"),
            *(Folder(one, "environment") for one in self.first),
            *(Folder(one, "path") for one in path if one),
        ]

    def _root(self) -> str:
        return self.host.env.get("SYSTEMROOT", "C:\\Windows")

    def _system32(self) -> Folder:
        return Folder(ntpath.join(self._root(), "System32"), "system32")

    def _look(self, name: str, folders: list[Folder]) -> Found:
        if name.lower().startswith(API_SETS):
            return Found(None, "api-set")
        once: dict[str, Folder] = {}
        for folder in folders:
            once.setdefault(ntpath.normcase(ntpath.normpath(folder.path)), folder)
        order = list(once.values())
        hits = [
            folder for folder in order if quiet_size(self.host, ntpath.join(folder.path, name)) is not None
        ]
        looked = tuple(folder.path for folder in order)
        if not hits:
            return Found(None, None, looked)
        others = tuple(ntpath.join(folder.path, name) for folder in hits[1:])
        return Found(ntpath.join(hits[0].path, name), hits[0].origin, looked, others)
