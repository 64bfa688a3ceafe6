"""CUDA_PATH and its kin, and PATH: where they lead, and whether that is one and the same toolkit."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from trueup.keep.cuda.copies import below, first_of, same
from trueup.keep.cuda.model import finding, three
from trueup.keep.cuda.toolkit import folders, read_folder
from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_real, quiet_size
from trueup.machine.inventory.cuda import loader_folders, toolkit_version
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.cuda.model import Finding, Scene
    from trueup.keep.cuda.toolkit import Toolkit
    from trueup.machine.host import Host

NAMES: Final = re.compile(r"CUDA_(?:PATH|HOME|PATH_V(?P<major>\d+)_(?P<minor>\d+))", re.IGNORECASE)


def leading(host: Host) -> dict[str, str]:
    """Return variable -> folder of those that lead to a toolkit, the general ones first."""
    found = {name: value.strip('" ') for name, value in host.env.items() if NAMES.fullmatch(name) and value}
    return dict(sorted(found.items(), key=lambda row: (len(row[0]), row[0])))


def children(host: Host, folder: str) -> tuple[str, ...]:
    """Return the toolkits right below a folder: it is their parent, not one itself."""
    names = [name for name in quiet_list(host, folder) if re.fullmatch(r"(v|cuda-)\d+\.\d+", name)]
    paths = [str(path_of(host).join(folder, name)) for name in names]
    return tuple(path for path in paths if toolkit_version(host, path) is not None)


def wrong(host: Host) -> Iterator[Finding]:
    """Return the variables that lead to no toolkit, or to another than they say."""
    for name, value in leading(host).items():
        version = toolkit_version(host, value)
        if version is None:
            yield _nowhere(host, name, value)
        named = NAMES.fullmatch(name)
        if isinstance(version, str) and named and named["major"]:
            wanted = f"{named['major']}.{named['minor']}"
            if version.split(".")[:2] != wanted.split("."):
                yield finding(
                    "variable-other-version", "problem", name=name, path=value, found=version, wanted=wanted
                )


def _nowhere(host: Host, name: str, value: str) -> Finding:
    """Say why a variable leads to no toolkit: one too high, one too low, gone, or something else."""
    paths = path_of(host)
    below_it, above = children(host, value), paths.dirname(value.rstrip("\\/"))
    if below_it:
        to, code = _best(host, below_it), "variable-parent"
    elif paths.basename(value.rstrip("\\/")).lower() in ("bin", "lib", "lib64", "x64") and toolkit_version(
        host, above
    ):
        to, code = above, "variable-inside"
    elif _is_gone(host, value):
        rest = children(host, paths.dirname(value.rstrip("\\/")))
        to, code = (_best(host, rest) if rest else ""), "variable-missing"
    else:
        to, code = "", "variable-no-toolkit"
    command = set_command(host, name, to) if to else unset_command(host, name)
    found = finding(code, "problem", name=name, path=value, to=to or "-")
    return replace(found, command=command, admin=host.platform == "windows")


def _best(host: Host, roots: tuple[str, ...]) -> str:
    """Return the toolkit whose programs PATH finds first, else the newest."""
    entries = search_path(host)
    on_path = [root for entry in entries for root in roots if below(host, entry, root)]
    return (
        on_path[0]
        if on_path
        else max(roots, key=lambda root: [int(n) for n in re.findall(r"\d+", root[-6:])])
    )


def _is_gone(host: Host, folder: str) -> bool:
    try:
        return host.list_dir(folder) is None
    except HostError:
        return False


def search_path(host: Host) -> list[str]:
    """Return the folders in which the loader looks by bare name, of those that a user sets."""
    if host.platform == "windows":
        return [part.strip('"') for part in host.env.get("PATH", "").split(";") if part.strip('"')]
    found = [part for part in host.env.get("LD_LIBRARY_PATH", "").split(":") if part]
    return [*found, *loader_folders(host)]


def set_command(host: Host, name: str, to: str) -> str:
    if host.platform == "windows":
        return f"[Environment]::SetEnvironmentVariable('{name}', '{to}', 'Machine')"
    return f'export {name}="{to}"'


def unset_command(host: Host, name: str) -> str:
    if host.platform == "windows":
        return f"[Environment]::SetEnvironmentVariable('{name}', $null, 'Machine')"
    return f"unset {name}"


def around(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    """Compare a toolkit with what PATH leads to: a process loads what stands first there, whatever CUDA_PATH says."""
    host = scene.host
    entries = search_path(host)
    filled = [place for place in folders(host, toolkit.root) if next(read_folder(host, place), None)]
    looked = {_spelt(host, entry) for entry in entries}
    if filled and not any(_spelt(host, place) in looked for place in filled):
        yield finding("not-on-path", "problem", path=filled[0], root=toolkit.root)
        return
    yield from _other_first(scene, toolkit)
    if host.platform == "windows":
        nvcc = next(
            (e for e in entries if quiet_size(host, path_of(host).join(e, "nvcc.exe")) is not None), None
        )
        if nvcc and not below(host, nvcc, toolkit.root):
            yield finding("other-nvcc-first", "notice", path=nvcc, root=toolkit.root)


def _spelt(host: Host, folder: str) -> str:
    """Return a folder as it compares: Linux' lib64 is a link to what the loader may know by another name."""
    paths = path_of(host)
    real = quiet_real(host, folder) if host.platform != "windows" else folder
    return str(paths.normcase(paths.normpath(real)))


def _other_first(scene: Scene, toolkit: Toolkit) -> Iterator[Finding]:
    host = scene.host
    for first in first_of(host, scene.machine):
        mine = next((path for path in first.shadows if below(host, path, toolkit.root)), None)
        if mine is None or below(host, first.path, toolkit.root):
            continue
        own = next((one.version for one in toolkit.libraries if same(host, one.path, mine)), None)
        alike = isinstance(own, str) and isinstance(first.version, str) and three(own) == three(first.version)
        if not alike:
            told = "?" if isinstance(first.version, Unknown) else first.version
            yield finding(
                "shadowed", "notice", name=first.name, path=first.path, found=told, root=toolkit.root
            )
