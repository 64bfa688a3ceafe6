"""Leftovers of conda: installations without a Python, environments without packages, a list of what is gone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from trueup.keep.clean.finders.made import Found, why
from trueup.keep.clean.model import Rewrite
from trueup.machine.host import HostError, path_of
from trueup.machine.pythons.common import conda_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.scene import Scene

FOLDERS: Final = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")


def condas(scene: Scene) -> Iterator[Found]:
    """Yield installations that no conda starts from, and broken environments in those that work."""
    for prefix in _installations(scene):
        names = scene.names(prefix)
        if not names:
            continue
        if not _works(scene, prefix):
            yield Found("conda", prefix, why("conda-rest"), "likely", Path(prefix), "conda")
        for name in scene.names(scene.join(prefix, "envs")):
            folder = scene.join(prefix, "envs", name)
            if scene.names(folder) and _is_broken(scene, folder):
                yield Found("conda", folder, why("conda-env"), "likely", Path(folder), "conda")


def _installations(scene: Scene) -> Iterator[str]:
    roots = [scene.home, scene.env("LOCALAPPDATA"), scene.env("PROGRAMDATA"), "" if scene.windows else "/opt"]
    for root in dict.fromkeys(root for root in roots if root):
        names = set(scene.names(root))
        yield from (scene.join(root, name) for name in FOLDERS if name in names)


def _works(scene: Scene, prefix: str) -> bool:
    """Tell whether conda, mamba or a Python is there; micromamba's root has no Python of its own."""
    if path_of(scene.host).basename(prefix) == "micromamba":
        return bool(scene.names(scene.join(prefix, "envs")) or scene.names(scene.join(prefix, "pkgs")))
    programs = (("python.exe",),) if scene.windows else (("bin", "python"), ("bin", "conda"))
    return conda_version(scene.host, prefix) is not None or any(
        not scene.gone(scene.join(prefix, *tail)) for tail in programs
    )


def _is_broken(scene: Scene, folder: str) -> bool:
    """Tell an environment that has neither a list of packages nor an interpreter."""
    return scene.gone(scene.join(folder, "conda-meta")) and not _works(scene, folder)


def conda_list(scene: Scene) -> Iterator[Found]:
    """Yield conda's list of environments where it names some that are gone."""
    path = scene.join(scene.home, ".conda", "environments.txt")
    try:
        text = scene.host.read_text(path) or ""
    except HostError:
        return
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    dead = [line for line in lines if scene.gone(line)]
    if not dead:
        return
    yield Found(
        "conda-list",
        path,
        why("conda-list", count=len(dead), first=dead[0]),
        "certain",
        rewrite=_without(Path(path), dead),
    )


def _without(path: Path, dead: list[str]) -> Rewrite | None:
    """Return the file without these lines; the others keep every byte. None for a file of a recording."""
    if not path.is_file():
        return None
    before = path.read_bytes()
    gone = {line.encode() for line in dead}
    kept = (line for line in before.splitlines(keepends=True) if line.strip() not in gone)
    return Rewrite(path, before, b"".join(kept))
