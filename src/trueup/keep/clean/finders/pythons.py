"""Leftovers of Pythons: registry entries without a folder, folders without an interpreter, packages for no Python."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.keep.clean.finders.made import Found, why
from trueup.keep.clean.finders.registry import elevated_removal, removal
from trueup.machine.host import HostError, path_of
from trueup.machine.inventory.places import minor
from trueup.machine.pythons.windows import ROOTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.keep.clean.scene import Scene


def registry_keys(scene: Scene) -> Iterator[Found]:
    """Yield PEP 514 entries that lead nowhere: tools offer such a Python, and fail."""
    if not scene.windows:
        return
    for root in ROOTS:
        for company in _keys(scene, root):
            if company == "PyLauncher":
                continue
            for tag in _keys(scene, f"{root}\\{company}"):
                key = f"{root}\\{company}\\{tag}"
                place = _gone_place(scene, key)
                if place:
                    user = key.startswith("HKCU")
                    yield Found(
                        "python-key",
                        key,
                        why("python-key", path=place),
                        "certain",
                        changes=removal(key) if user else (),
                        steps=() if user else elevated_removal(key),
                    )


def _keys(scene: Scene, key: str) -> tuple[str, ...]:
    try:
        return scene.host.registry_keys(key) or ()
    except HostError:
        return ()


def _gone_place(scene: Scene, key: str) -> str | None:
    """Return the folder or program that an entry names and that is not there."""
    try:
        values = scene.host.registry_values(f"{key}\\InstallPath") or {}
    except HostError:
        return None
    folder, program = str(values.get("", "")), str(values.get("ExecutablePath", ""))
    named = program or (scene.join(folder, "python.exe") if folder else "")
    if not named or not scene.gone(named):
        return None
    return (folder or path_of(scene.host).dirname(named)).rstrip("\\")


def folders(scene: Scene) -> Iterator[Found]:
    """Yield folders of Pythons that have no interpreter, or that no installer knows."""
    for folder in _candidates(scene):
        names = {name.lower() for name in scene.names(folder)}
        if not names:
            continue
        known = _known(scene, folder)
        if not _has_python(scene, folder):
            yield Found("python", folder, why("python-rest"), "likely", Path(folder), "python")
        elif not known and scene.windows:
            yield Found("python", folder, why("python-unlisted"), "look", Path(folder), "python")


def _candidates(scene: Scene) -> Iterator[str]:
    """Yield folders that an installer of Python makes, by name."""
    if scene.windows:
        local, programs = scene.env("LOCALAPPDATA"), scene.env("PROGRAMFILES")
        roots = [scene.join(local, "Programs", "Python")] if local else []
        pattern = re.compile(r"Python3?\d\d?(-32|-arm64)?$", re.IGNORECASE)
        drive = path_of(scene.host).splitdrive(scene.env("SYSTEMROOT") or "C:\\Windows")[0] + "\\"
        for root in dict.fromkeys([*roots, programs, drive]):
            yield from (scene.join(root, name) for name in scene.names(root) if pattern.match(name))
        versions = [
            scene.join(scene.env("PYENV") or scene.join(scene.home, ".pyenv", "pyenv-win"), "versions")
        ]
        data = scene.env("APPDATA")
    else:
        versions = [scene.join(scene.env("PYENV_ROOT") or scene.join(scene.home, ".pyenv"), "versions")]
        data = scene.env("XDG_DATA_HOME") or scene.join(scene.home, ".local", "share")
    uv = scene.env("UV_PYTHON_INSTALL_DIR") or (scene.join(data, "uv", "python") if data else "")
    for root in (*versions, uv):
        for name in scene.names(root):
            if re.match(r"(cpython-|pypy|graalpy)?3\.\d+", name) and scene.names(scene.join(root, name)):
                yield scene.join(root, name)


def _has_python(scene: Scene, folder: str) -> bool:
    programs = (("python.exe",),) if scene.windows else (("bin", "python3"), ("bin", "python"))
    return any(not scene.gone(scene.join(folder, *tail)) for tail in programs)


def _known(scene: Scene, folder: str) -> bool:
    paths = path_of(scene.host)
    wanted = paths.normcase(paths.normpath(folder)) + paths.sep
    return any(
        paths.normcase(python.path or "").startswith(wanted) and python.kind not in ("path", "unknown")
        for python in scene.pythons
    )


def user_sites(scene: Scene) -> Iterator[Found]:
    """Yield the user's packages for a Python that is not there any more."""
    have = {minor(python.version) for python in scene.pythons}
    if not have:  # the search for Pythons found none at all: nothing can be said
        return
    if scene.windows:
        root, pattern = scene.join(scene.env("APPDATA"), "Python"), r"Python(\d)(\d+)(?:-32)?$"
    else:
        root, pattern = scene.join(scene.home, ".local", "lib"), r"python(\d)\.(\d+)$"
    for name in scene.names(root):
        found = re.match(pattern, name)
        if found and f"{found[1]}.{found[2]}" not in have:
            version = f"{found[1]}.{found[2]}"
            yield Found(
                "user-site",
                scene.join(root, name),
                why("user-site", version=version),
                "likely",
                Path(scene.join(root, name)),
                "python",
            )
