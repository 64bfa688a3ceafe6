"""For which cards the libraries of a set hold GPU code: counted before and shipped, or counted now."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from trueup.facts.binary import scan
from trueup.facts.harvest.readers.binaries import CARDS
from trueup.facts.store import source, table
from trueup.proof.closure.model import GpuLibrary, Reach

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trueup.proof.closure.model import File, Target

CHUNK = 4 << 20
ALIKE = 0.0002  # share of the size; releases differ by more
# Names of libraries that hold GPU code; a file of another name may, too, and is then counted on demand.
HOLDERS = (
    "cublas",
    "cudnn",
    "cufft",
    "curand",
    "cusolver",
    "cusparse",
    "nccl",
    "tensorflow_internal",
    "tensorflow_cc",
)


def gpu_libraries(
    files: Sequence[File], target: Target, *, count: bool
) -> tuple[tuple[GpuLibrary, ...], tuple[str, ...]]:
    """Return the libraries with GPU code, and those that may have some and were not counted."""
    found: list[GpuLibrary] = []
    unknown: list[str] = []
    holders = [f for f in files if any(holder in f.base.lower() for holder in HOLDERS)]
    for file in holders if target.capabilities else ():
        if known := _shipped().get((file.base.lower(), file.size)) or _alike(file):
            library = known
        elif count and file.open is not None:
            library = _counted(file, target)
        else:
            unknown.append(file.base)
            continue
        if library.modules:
            found.append(library)
    return tuple(found), tuple(unknown)


@cache
def _shipped() -> dict[tuple[str, int | None], GpuLibrary]:
    """Return what was counted before in wheels, by name and size of the file."""
    found = {}
    data = table("gpu_code")
    for name, size, modules, origin, counts in data["rows"]:
        reach = {c: Reach(*row) for c, row in zip(data["capabilities"], counts, strict=True)}
        found[name.lower(), size] = GpuLibrary(name, modules, reach, source(data["sources"], origin))
    return found


def _alike(file: File) -> GpuLibrary | None:
    """Return the count of a build for another Python: a module's size differs by little, its GPU code does not."""
    if not file.base.endswith(".pyd") or file.size is None:
        return None
    sizes = {size: row for (name, size), row in _shipped().items() if name == file.base.lower() and size}
    nearest = min(sizes, key=lambda size: abs(size - (file.size or 0)), default=0)
    library = sizes.get(nearest)
    if library is None or library.source is None or abs(nearest - file.size) > nearest * ALIKE:
        return None
    told = "counted in a build of nearly the same size, for another Python"
    return replace(library, source=replace(library.source, confidence="medium", conflict=told))


def _counted(file: File, target: Target) -> GpuLibrary:
    assert file.open is not None  # noqa: S101  # the caller looked
    with file.open() as stream:
        modules = scan(iter(partial(stream.read, CHUNK), b""))
    cards = dict.fromkeys((*CARDS, *target.capabilities))
    return GpuLibrary(file.base, modules.count, {c: Reach(*modules.reach(c)) for c in cards})
