"""Caches, with the command of the tool that owns each. CUDA's has no tool: it is moved like any folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from trueup.keep.clean.finders.made import Found, why

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.scene import Scene


def caches(scene: Scene) -> Iterator[Found]:
    for tool, folder, command in _of_tools(scene):
        if folder and scene.names(folder):
            yield Found(
                "cache",
                folder,
                why("cache", tool=tool),
                "likely",
                measured=Path(folder),
                command=command,
            )
    folder = _compute(scene)
    if folder and scene.names(folder):
        yield Found("cache", folder, why("compute-cache"), "likely", Path(folder))


def _of_tools(scene: Scene) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    local = scene.env("LOCALAPPDATA")
    cache = scene.env("XDG_CACHE_HOME") or scene.join(scene.home, ".cache")
    pip = scene.join(local, "pip", "Cache") if scene.windows else scene.join(cache, "pip")
    uv = scene.join(local, "uv", "cache") if scene.windows else scene.join(cache, "uv")
    python = next((one.path for one in scene.pythons if one.path and one.kind != "system"), None)
    yield "pip", scene.env("PIP_CACHE_DIR") or pip, (python or "python", "-m", "pip", "cache", "purge")
    yield "uv", scene.env("UV_CACHE_DIR") or uv, ("uv", "cache", "prune")
    seen = set()
    for environment in scene.environments:
        folder = scene.join(environment.path, "pkgs")
        if environment.kind == "conda" and scene.has(folder, "urls.txt") and folder not in seen:
            seen.add(folder)
            tail = ("Scripts", "conda.exe") if scene.windows else ("bin", "conda")
            conda = scene.join(environment.path, *tail)
            yield "conda", folder, (conda, "clean", "--all", "--yes")


def _compute(scene: Scene) -> str:
    if scene.env("CUDA_CACHE_PATH"):
        return scene.env("CUDA_CACHE_PATH")
    if scene.windows:
        data = scene.env("APPDATA")
        return scene.join(data, "NVIDIA", "ComputeCache") if data else ""
    return scene.join(scene.home, ".nv", "ComputeCache")
