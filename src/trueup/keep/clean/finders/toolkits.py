"""Leftovers of CUDA toolkits: folders that an uninstaller did not empty, variables that lead nowhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.keep.clean.finders.made import Found, why
from trueup.keep.pathvar.variables import KEYS
from trueup.machine.host import HostError
from trueup.machine.inventory.cuda import toolkit_version
from trueup.setup.changes import Change

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.scene import Scene

VARIABLE = re.compile(r"CUDA_(PATH(_V\d+_\d+)?|HOME)|CUDNN_(PATH|HOME)", re.IGNORECASE)


def toolkits(scene: Scene) -> Iterator[Found]:
    """Yield toolkit folders without a compiler and without the file that names the version."""
    for folder in _folders(scene):
        compiler = scene.join(folder, "bin", "nvcc.exe" if scene.windows else "nvcc")
        if not scene.names(folder) or not scene.gone(compiler):
            continue
        if toolkit_version(scene.host, folder) is None and not _has_libraries(scene, folder):
            yield Found("toolkit", folder, why("toolkit"), "likely", Path(folder), "toolkit")


def _folders(scene: Scene) -> Iterator[str]:
    if scene.windows:
        programs = scene.env("PROGRAMFILES") or "C:\\Program Files"
        root, pattern = scene.join(programs, "NVIDIA GPU Computing Toolkit", "CUDA"), r"v\d+\.\d+$"
    else:
        root, pattern = "/usr/local", r"cuda-\d+(\.\d+)?$"
    yield from (scene.join(root, name) for name in scene.names(root) if re.match(pattern, name))


def _has_libraries(scene: Scene, folder: str) -> bool:
    """Tell an installation of the libraries alone, without a compiler, from what an uninstaller left."""
    places: list[tuple[str, ...]] = [("bin",), ("bin", "x64")]
    if not scene.windows:
        places = [("lib64",), ("lib",), ("compat",)]
        places += [("targets", name, "lib") for name in scene.names(scene.join(folder, "targets"))]
    return any(
        name.lower().endswith(".dll") if scene.windows else ".so" in name
        for tail in places
        for name in scene.names(scene.join(folder, *tail))
    )


def variables(scene: Scene) -> Iterator[Found]:
    """Yield CUDA_PATH and its like where they lead nowhere, of the user and of the machine."""
    if not scene.windows:
        return
    for scope, key in KEYS.items():
        try:
            values = scene.host.registry_values(key) or {}
        except HostError:
            continue
        for name, value in values.items():
            if VARIABLE.fullmatch(name) and isinstance(value, str) and scene.gone(value):
                remove = (
                    f'reg export "{key}" "%USERPROFILE%\\machine-environment-before.reg" /y',
                    f'reg delete "{key}" /v {name} /f',
                )
                yield Found(
                    "variable",
                    f"{key}\\{name}",
                    why("variable", name=name, path=value),
                    "certain",
                    changes=(Change("registry", {"key": key, "name": name}, None),)
                    if scope == "user"
                    else (),
                    steps=() if scope == "user" else remove,
                )
