"""Whether a set of binaries is closed: every name resolves, every symbol is there, for the right machine."""

from __future__ import annotations

from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from trueup.facts.binary import BadBinary
from trueup.proof.closure import tables
from trueup.proof.closure.code import gpu_libraries
from trueup.proof.closure.model import ClosureReport, Missing, MissingSymbol
from trueup.proof.closure.read import Binary, lacks, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.proof.closure.model import File, How, Place, Target


def prove(files: Sequence[File], target: Target, *, count_code: bool = False) -> ClosureReport:
    """Prove a set closed for a target. `count_code` reads each library whole where its GPU code is unknown."""
    walk = _Walk(files, target)
    walk.imports()
    frameworks = ((target.framework, target.version), *target.beside)
    loads = {name: tables.of_framework(name, version, target.os) for name, version in frameworks}
    for name, found in loads.items():
        if found:
            walk.wants(found[0], name)
    known = all(loads.values())
    main = loads[target.framework]
    for file in files:
        if wanted := tables.of_file(file.base):
            walk.wants(wanted, file.base)
    used = [file for file in files if walk.uses(file)] if known else files
    gpu, unknown = gpu_libraries(used, target, count=count_code)
    return ClosureReport(
        target=target,
        files=len(files),
        read=walk.read,
        size=sum(file.size or 0 for file in files),
        resolved=dict(walk.resolved),
        symbols=walk.symbols,
        missing=tuple(dict.fromkeys(walk.missing)),
        missing_symbols=tuple(walk.missing_symbols),
        wrong_machine=tuple(walk.wrong_machine),
        unreadable=tuple(walk.unreadable),
        loads_known=known,
        loads_source=main[1] if main else None,
        gpu=gpu,
        code_unknown=unknown,
    )


class _Walk:
    def __init__(self, files: Sequence[File], target: Target) -> None:
        self._os = target.os
        self._files = files
        self._arch = target.arch
        self._present = tables.Present(target)
        self.read = 0
        self.resolved: Counter[Place] = Counter()
        self.symbols = 0
        self.missing: list[Missing] = []
        self.missing_symbols: list[MissingSymbol] = []
        self.wrong_machine: list[tuple[str, str]] = []
        self.unreadable: list[tuple[str, str]] = []
        self._names: set[str] = set()
        self._used: set[str] = set()
        self._binaries: dict[str, Binary] = {}
        self._all: list[Binary] = []
        self._read_all()

    def _key(self, name: str) -> str:
        return name.lower() if self._os == "windows" else name

    def _read_all(self) -> None:
        every = {self._key(file.base) for file in self._files}
        for file in self._files:
            if file.open is None:
                self._names.add(self._key(file.base))
                continue
            try:
                self.read += 1
                binary = read(file, self._os, every)
            except BadBinary as error:
                self.unreadable.append((file.name, error.reason))
                continue
            except OSError as error:  # a link to nowhere, a file that may not be read or just went
                self.unreadable.append((file.name, error.strerror or str(error)))
                continue
            if binary is None:
                continue
            if binary.machine != self._arch:
                self.wrong_machine.append((file.name, binary.machine))
                continue
            self._all.append(binary)
            for name in filter(None, (self._key(file.base), binary.soname)):
                self._names.add(name)
                self._binaries.setdefault(name, binary)

    def imports(self) -> None:
        """Resolve all imports, then ask each library once for all that is wanted of it."""
        wanted: dict[str, dict[str, str]] = defaultdict(dict)
        for binary in self._all:
            feature = tables.feature_of(binary.file.base)
            for name, symbols in binary.imports:
                self._resolve(name, binary.file.base, "import", feature)
                for symbol in symbols:
                    wanted[self._key(name)].setdefault(symbol, binary.file.base)
                    self.symbols += self._key(name) in self._binaries
        for name, symbols_of in wanted.items():
            if library := self._binaries.get(name):
                for symbol in lacks(library, symbols_of, self._os):
                    self.missing_symbols.append(MissingSymbol(symbol, library.file.base, symbols_of[symbol]))

    def wants(self, wanted: tables.Wanted, by: str) -> None:
        for name in wanted.needed:
            self._resolve(name, by, "load", None)
        for feature, name in wanted.features:
            self._resolve(name, by, "load", feature)

    def uses(self, file: File) -> bool:
        """Tell whether anything imports or loads a file; not all of NVIDIA's are wanted."""
        return self._key(file.base) in self._used or not file.name.startswith("nvidia/")

    def _resolve(self, name: str, by: str, how: How, feature: str | None) -> None:
        key = self._key(name)
        self._used.add(key)
        place: Place | None = "set" if key in self._names or self._matches(key) else self._present.place(name)
        if place:
            self.resolved[place] += 1
        else:
            self.missing.append(Missing(name, by, how, feature))

    def _matches(self, pattern: str) -> bool:
        return "*" in pattern and any(fnmatchcase(name, pattern) for name in self._names)
