"""Builds: a row says which release has which wheels, its stack says what they were made with."""

from __future__ import annotations

from dataclasses import fields, make_dataclass
from typing import TYPE_CHECKING, Any

from trueup.facts.model import Build, CudaFrom, GpuCode
from trueup.facts.store import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    Stack = Mapping[str, Any]
    Caps = Callable[[str, str], tuple[str, ...]]  # (package, version) -> PEP 508 texts

# The constructor of a frozen dataclass sets each field by a call; that of this twin, which has the same slots,
# is fifteen times as fast, and there are fifteen hundred builds. A row is made here and becomes a Build at once.
_Open: Any = make_dataclass("_Open", [f.name for f in fields(Build)], slots=True, eq=False, repr=False)


def read(framework: str, data: Mapping[str, Any], shared: Mapping[str, Any], caps: Caps) -> tuple[Build, ...]:
    """Return the builds of a table, in its order. `shared`: stacks and sources beside the table's own."""
    sources = {**shared["sources"], **data["sources"]}
    known = {**shared["stacks"], **data["stacks"]}
    stacks = [_parts(known[name], sources) for name in data["stack"]]
    packages, indexes = data["package"], data["index"]
    pythons = [tuple(p) for p in data["pythons"]]
    made = []
    for package, version, platform, arch, stack, python, glibc, download, disk, index in data["rows"]:
        flavour, extra, beside, cuda, cudnn, cuda_from, code, libraries, features, notes, origin = stacks[
            stack
        ]
        name = packages[package]
        address, local = (None, "") if index is None else indexes[index]
        made.append(
            _Open(
                framework, name, version, platform, arch, flavour, (f"{name}{extra}=={version}{local}", *beside),
                pythons[python], address, cuda, cudnn, cuda_from, code, libraries, caps(name, version), glibc,
                features if arch == "x86_64" else (), download, disk, notes, origin,
            )
        )  # fmt: skip
    for build in made:
        build.__class__ = Build
    return tuple(made)


COLUMNS = (
    "package",
    "version",
    "platform",
    "arch",
    "stack",
    "pythons",
    "glibc",
    "download_mb",
    "disk_mb",
    "index",
)
LISTS = (
    "package",
    "stack",
    "pythons",
    "index",
)  # written as positions in a list: rows stay short and load fast


def expand(data: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a table by the names of their columns."""
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in data["rows"]]
    for row in rows:
        row.update({name: data[name][row[name]] for name in LISTS if row[name] is not None})
    return rows


def pack(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return rows by name as the short rows of a table, with the lists that they point into."""
    lists: dict[str, list[Any]] = {name: [] for name in LISTS}
    packed = [[_place(lists, name, row.get(name)) for name in COLUMNS] for row in rows]
    return {**lists, "rows": packed}


def _place(lists: dict[str, list[Any]], name: str, value: Any) -> Any:
    if name not in lists or value is None:
        return value
    if value not in lists[name]:
        lists[name].append(value)
    return lists[name].index(value)


def _parts(stack: Stack, sources: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what all builds of one stack share, in the order in which `read` takes it."""
    return (
        stack["flavour"],
        f"[{stack['extra']}]" if "extra" in stack else "",
        tuple(stack.get("requirements", ())),
        stack["cuda"],
        stack["cudnn"],
        CudaFrom(stack["cuda_from"]),
        _code(stack.get("sass"), stack.get("ptx")),
        _code(stack.get("library_sass"), stack.get("library_ptx")),
        tuple(stack.get("cpu_features", ())),
        tuple(stack.get("notes", ())),
        source(sources, stack["source"], stack.get("confidence"), stack.get("conflict")),
    )


def _code(sass: list[str] | None, ptx: list[str] | None) -> GpuCode:
    if sass is None or ptx is None:
        return GpuCode(known=False)
    return GpuCode(tuple(sass), tuple(ptx))
