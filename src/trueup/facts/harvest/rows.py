"""One wheel, one row: everything that it says, with the member that says it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from trueup.facts.harvest.readers.binaries import is_binary, read_binary
from trueup.facts.harvest.readers.builds import read_build, reader_of
from trueup.facts.harvest.readers.metadata import Metadata, read_metadata
from trueup.facts.harvest.readers.tags import target
from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.wheel import installed

if TYPE_CHECKING:
    from trueup.facts.harvest.wheel import Wheel


def row_of(wheel: Wheel, *, deep: bool) -> dict[str, Any]:
    """Return a wheel's row. `deep` unpacks its binaries too; without it a megabyte of ranges is enough."""
    members = wheel.members
    where = target(wheel.tags)
    row: dict[str, Any] = {
        "package": wheel.package,
        "version": str(wheel.version),
        "file": wheel.file,
        "sha256": wheel.sha256,
        "size": wheel.size,
        "platform": where.platform,
        "arch": where.arch,
        "pythons": list(where.pythons),
        "abi3": where.abi3,
        "glibc": where.glibc,
        "unpacked": sum(member.size for member in members),
        "longest_path": max((len(installed(member.name)) for member in members), default=0),
        "metadata": _metadata(wheel),
        "build": _build(wheel),
        "libraries": [member.name for member in members if is_binary(member.name)],
    }
    if deep:
        found = (read_binary(wheel, name) for name in row["libraries"])
        row["binaries"] = [binary for binary in found if binary]
    return row


def _metadata(wheel: Wheel) -> dict[str, Any]:
    member = f"{wheel.dist_info}/METADATA"
    found = read_metadata(wheel.text(member))
    if found is None or not _same(found, wheel):
        raise Refused("wrong-metadata", wheel.file, member=member)
    return {
        "member": member,
        "requires_python": found.requires_python,
        "requires": list(found.requires),
        "extras": list(found.extras),
    }


def _same(found: Metadata, wheel: Wheel) -> bool:
    try:
        return found.name == canonicalize_name(wheel.package) and Version(found.version) == wheel.version
    except InvalidVersion:
        return False


def _build(wheel: Wheel) -> dict[str, Any] | None:
    for member in (m.name for m in wheel.members if reader_of(installed(m.name))):
        try:
            info = read_build(installed(member), wheel.text(member))
        except ValueError as error:
            raise Refused("bad-source", wheel.file, member=member) from error
        if info:
            lists = {"sass": info.sass, "ptx": info.ptx}
            return {
                "member": member,
                "framework": info.framework,
                "is_cuda": info.is_cuda,
                "cuda": info.cuda,
                "cudnn": info.cudnn,
                "version": info.version,
                **{name: None if found is None else list(found) for name, found in lists.items()},
            }
    return None
