"""Builds: a row says which release has which wheels, its stack says what they were made with."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trueup.facts.model import Build, CudaFrom, GpuCode
from trueup.facts.store import source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from trueup.values import Source

    Stack = Mapping[str, Any]
    Caps = Callable[[str, str], tuple[str, ...]]  # (package, version) -> PEP 508 texts


def read(
    framework: str,
    rows: Iterable[Mapping[str, Any]],
    stacks: Mapping[str, Stack],
    sources: Mapping[str, Any],
    caps: Caps,
) -> tuple[Build, ...]:
    """Return the builds of a table's rows, in the order of the rows."""
    parts = {name: _Parts(stack, sources) for name, stack in stacks.items()}
    return tuple(_build(framework, row, parts[row["stack"]], caps) for row in rows)


class _Parts:
    """What all builds of one stack share."""

    __slots__ = ("code", "cuda_from", "features", "libraries", "notes", "requirements", "source", "stack")

    def __init__(self, stack: Stack, sources: Mapping[str, Any]) -> None:
        self.stack = stack
        self.code = _code(stack.get("sass"), stack.get("ptx"))
        self.libraries = _code(stack.get("library_sass"), stack.get("library_ptx"))
        self.cuda_from = CudaFrom(stack["cuda_from"])
        self.requirements = tuple(stack.get("requirements", ()))
        self.features = tuple(stack.get("cpu_features", ()))
        self.notes = tuple(stack.get("notes", ()))
        self.source: Source = source(sources, stack["source"], stack.get("confidence"), stack.get("conflict"))


def _code(sass: list[str] | None, ptx: list[str] | None) -> GpuCode:
    if sass is None or ptx is None:
        return GpuCode(known=False)
    return GpuCode(tuple(sass), tuple(ptx))


@lru_cache(maxsize=512)
def _strings(texts: tuple[str, ...]) -> tuple[str, ...]:
    return texts  # one tuple for the many rows with the same Pythons


def _build(framework: str, row: Mapping[str, Any], parts: _Parts, caps: Caps) -> Build:
    package, version, stack = row["package"], row["version"], parts.stack
    extra = f"[{stack['extra']}]" if "extra" in stack else ""
    return Build(
        framework=framework,
        package=package,
        version=version,
        platform=row["platform"],
        arch=row["arch"],
        flavour=stack["flavour"],
        requirements=(
            f"{package}{extra}=={row.get('pin', version)}",
            *row.get("requirements", ()),
            *parts.requirements,
        ),
        pythons=_strings(tuple(row["pythons"])),
        index=row.get("index"),
        cuda=stack["cuda"],
        cudnn=row.get("cudnn", stack["cudnn"]),
        cuda_from=parts.cuda_from,
        code=parts.code,
        library_code=parts.libraries,
        caps=caps(package, version),
        glibc=row["glibc"],
        cpu_features=parts.features,
        download_mb=row["download_mb"],
        disk_mb=row["disk_mb"],
        notes=parts.notes,
        source=parts.source,
    )
