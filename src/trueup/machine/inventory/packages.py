"""Distributions of an environment, read from the names of their dist-info folders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from trueup.machine.host import HostError, path_of
from trueup.machine.inventory.model import CondaPackage, Package

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trueup.machine.host import Host

_DIST = re.compile(r"(?P<name>.+?)-(?P<version>\d[^-]*)(?:-py\d.*)?\.(?:dist|egg)-info$")
_CONDA = re.compile(r"(?P<name>.+)-(?P<version>[^-]+)-(?P<build>[^-]+)\.json$")
# import folders whose distribution is asked for: folder -> distributions that may own it
OWNERS = {
    "tensorflow": (
        *("tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-directml"),
        *("tensorflow-macos", "tf-nightly", "intel-tensorflow", "tensorflow-rocm", "tensorflow-cpu-aws"),
        *("tf-nightly-gpu", "tf-nightly-cpu", "tf-nightly-intel"),
    ),
    "torch": ("torch",),
    "jaxlib": ("jaxlib",),
    "onnxruntime": ("onnxruntime", "onnxruntime-gpu", "onnxruntime-directml", "onnxruntime-openvino"),
    "paddle": ("paddlepaddle", "paddlepaddle-gpu"),
    "cupy": (),
}


def read_packages(names: Iterable[str], place: str) -> tuple[Package, ...]:
    """Return the distributions that a site-packages folder names."""
    return tuple(
        Package(canonicalize_name(found["name"]), found["version"], place, name)
        for name in names
        if (found := _DIST.match(name)) and not name.startswith("~")
    )


def leftovers(names: Iterable[str]) -> tuple[str, ...]:
    """Return what an uninstallation left: pip renames `tensorflow` to `~ensorflow`, once `-ensorflow`."""
    return tuple(name for name in names if name.startswith(("~", "-")) and len(name) > 2)


def strays(
    names: Iterable[str], packages: tuple[Package, ...], conda: tuple[CondaPackage, ...]
) -> tuple[str, ...]:
    """Return folders of frameworks that no distribution owns: rests, or copies made by hand."""
    owned = {package.name for package in packages} | {package.name for package in conda}
    present = set(names)
    return tuple(
        folder
        for folder, owners in OWNERS.items()
        if owners and folder in present and owned.isdisjoint(owners)
    )


def conda_packages(host: Host, prefix: str) -> tuple[CondaPackage, ...]:
    try:
        names = host.list_dir(path_of(host).join(prefix, "conda-meta")) or ()
    except HostError:
        return ()
    found = (_CONDA.match(name) for name in names)
    return tuple(CondaPackage(hit["name"], hit["version"], hit["build"]) for hit in found if hit)
