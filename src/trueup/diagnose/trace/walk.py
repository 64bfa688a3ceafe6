"""Follows a framework through its import tables and the names it loads, as the loader would meet them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.diagnose.trace.model import Chain, Found, Node, Trace
from trueup.facts.binary import BadBinary, Pe, kind_of, read_elf
from trueup.proof.closure.tables import feature_of, of_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from trueup.diagnose.trace.model import How, Open, Search
    from trueup.proof.closure.tables import Wanted

LIMIT = 5000  # nodes; the largest framework has some hundred
MACHINES = ("x86_64", "arm64", "aarch64")


def trace(
    search: Search, open_: Open, roots: Iterable[str], loads: Wanted | None, loader: str | None = None
) -> Trace:
    """Return the tree. `loads` are names that `loader`, or else the first root, asks for while it runs."""
    walk = _Walk(search, open_)
    paths = tuple(roots)
    for path in paths:
        walk.enter(path)
    if paths and loads is not None:
        first = Chain((loader or paths[0],), by_path=True)
        for name in loads.needed:
            walk.want(name, first, "load", None)
        for feature, name in loads.features:
            walk.want(name, first, "load", feature)
    return Trace(paths, tuple(walk.nodes), loads is not None)


def name_of(search: Search, open_: Open, name: str) -> Trace:
    """Return what a bare name leads to, as a program that loads it would get it."""
    walk = _Walk(search, open_)
    walk.want(name, Chain((name,), by_path=False), "root", None)
    return Trace((name,), tuple(walk.nodes), loads_known=True)


class _Walk:
    """Depth first, as a loader goes; a name that is loaded is never searched again."""

    def __init__(self, search: Search, open_: Open) -> None:
        self.nodes: list[Node] = []
        self._search = search
        self._open = open_
        self._known: set[str] = set()

    def enter(self, path: str) -> None:
        """Begin with a file that is loaded by its path."""
        self._visit(Node(_base(path), None, "root", Found(path, "given")), Chain((path,), by_path=True))

    def want(self, name: str, chain: Chain, how: How, feature: str | None) -> None:
        if "*" in name or self._search.key(name) in self._known or len(self.nodes) >= LIMIT:
            return
        found = self._search.imported(name, chain) if how == "import" else self._search.loaded(name, chain)
        by = None if how == "root" else _base(chain.files[0])
        path = found.path or name
        below = chain.below(path) if how == "import" else Chain((path,), by_path=False)
        self._visit(Node(name, by, how, found, feature=feature or feature_of(by or "")), below)

    def _visit(self, node: Node, chain: Chain) -> None:
        """Note a name and follow what it needs; what the system brings needs what the system brings."""
        self._known.add(self._search.key(node.name))
        place = len(self.nodes)
        self.nodes.append(node)
        path = node.found.path
        if path is None or node.found.origin in ("system32", "windows", "default"):
            return
        try:
            version, machine, needs = _read(self._open, path)
        except (BadBinary, OSError):
            self.nodes[place] = replace(node, fault="unreadable")
            return
        fault = None if machine in MACHINES else "wrong-machine"
        self.nodes[place] = replace(node, version=version, fault=fault)
        for name in needs:
            self.want(name, chain, "import", node.feature)
        for name, feature in _at_run_time(node.name):
            self.want(name, chain, "load", feature or node.feature)


def _at_run_time(name: str) -> Iterator[tuple[str, str | None]]:
    known = of_file(name)
    if known is not None:
        yield from ((one, None) for one in known.needed)
        yield from ((one, feature) for feature, one in known.features)


def _read(open_: Open, path: str) -> tuple[str | None, str, tuple[str, ...]]:
    """Return version, machine and imported names of a file."""
    with open_(path) as file:
        kind = kind_of(file.read(4))
        file.seek(0)
        if kind == "pe":
            pe = Pe(file)
            return pe.file_version(), pe.machine, tuple(row.name for row in pe.imports())
        if kind == "elf":
            elf = read_elf(file)
            return None, elf.machine, elf.needed
    raise BadBinary("not-elf")


def _base(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
