"""Windows: the registry (PEP 514), the Store, python.exe on PATH, pyenv-win, uv and conda."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.model import Python
from trueup.machine.pythons.common import VERSION, bits, conda_pythons, folder_pythons, home, in_venv

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.machine.host import Host

ROOTS = ("HKCU\\SOFTWARE\\Python", "HKLM\\SOFTWARE\\Python", "HKLM\\SOFTWARE\\WOW6432Node\\Python")
_KINDS = {"PythonCore": "python.org", "ContinuumAnalytics": "conda", "Astral": "uv"}
_STORE = re.compile(r"PythonSoftwareFoundation\.Python\.(\d+\.\d+)_", re.IGNORECASE)


def windows_pythons(host: Host) -> Iterator[Python]:
    yield from registered(host)
    yield from store(host)
    yield from on_path(host)
    env, join = host.env, path_of(host).join
    pyenv = env.get("PYENV") or join(home(host), ".pyenv", "pyenv-win")
    yield from folder_pythons(host, join(pyenv, "versions"), "pyenv")
    uv = env.get("UV_PYTHON_INSTALL_DIR") or join(env.get("APPDATA", ""), "uv", "python")
    yield from folder_pythons(host, uv, "uv")
    yield from conda_pythons(host)


def registered(host: Host) -> Iterator[Python]:
    for root in ROOTS:
        for company in _keys(host, root):
            if company != "PyLauncher":
                for tag in _keys(host, f"{root}\\{company}"):
                    found = _registered(host, f"{root}\\{company}\\{tag}", company, tag)
                    if found is not None:
                        yield found


def _registered(host: Host, key: str, company: str, tag: str) -> Python | None:
    """Read one tag. Uninstallers leave keys behind, so the file must be there."""
    values, place = host.registry_values(key) or {}, host.registry_values(f"{key}\\InstallPath") or {}
    folder = str(place.get("", ""))
    path = str(place.get("ExecutablePath", "")) or path_of(host).join(folder, "python.exe")
    version = VERSION.search(str(values.get("Version") or values.get("SysVersion") or tag))
    if version is None or not (folder or place.get("ExecutablePath")) or quiet_size(host, path) is None:
        return None
    said = str(values.get("SysArchitecture", ""))
    word = {"32bit": 32, "64bit": 64}.get(said) or (32 if tag.endswith("-32") else bits(host, path))
    kind = (
        "conda"
        if quiet_list(host, path_of(host).join(folder, "conda-meta"))
        else _KINDS.get(company, "registry")
    )
    return Python(version[1], word, path, kind)


def _keys(host: Host, key: str) -> tuple[str, ...]:
    try:
        return host.registry_keys(key) or ()
    except HostError:
        return ()


def apps_folder(host: Host) -> str:
    return str(path_of(host).join(host.env.get("LOCALAPPDATA", ""), "Microsoft", "WindowsApps"))


def store(host: Host) -> Iterator[Python]:
    """Return Pythons of the Store: each has a folder of its own beside the aliases."""
    root = apps_folder(host)
    for name in quiet_list(host, root):
        found = _STORE.match(name)
        path = path_of(host).join(root, name, "python.exe")
        if found and quiet_size(host, path) is not None:
            yield Python(found[1], 64, path, "store")


def path_programs(host: Host, names: tuple[str, ...]) -> Iterator[str]:
    """Return what a shell would find, in its order."""
    paths = path_of(host)
    separator = ";" if host.platform == "windows" else ":"
    for folder in dict.fromkeys(host.env.get("PATH", "").split(separator)):
        for name in names:
            path = paths.join(folder.strip('"'), name)
            if folder and quiet_size(host, path) is not None:
                yield str(path)


def on_path(host: Host) -> Iterator[Python]:
    apps = apps_folder(host).lower()
    for path in path_programs(host, ("python.exe",)):
        if path.lower().startswith(apps) or in_venv(host, path) or "\\shims\\" in path.lower():
            continue
        version = python_version(host, path)
        if version is not None:
            yield Python(version, bits(host, path), path, "path")


def python_version(host: Host, path: str) -> str | None:
    """Return "3.10.11" of a python.exe: its resource says 3.10.11150.1013, the third part micro × 1000 + level."""
    try:
        parts = (host.file_version(path) or "").split(".")
    except HostError:
        return None
    if len(parts) < 3 or parts[0] == "0":
        return None
    return f"{parts[0]}.{parts[1]}.{int(parts[2]) // 1000}"


def store_stubs(host: Host) -> tuple[str, ...]:
    """Return aliases that only open the Store: an empty python.exe where no Store Python is installed."""
    if any(True for _ in store(host)):
        return ()
    names = ("python.exe", "python3.exe")
    places = [path_of(host).join(apps_folder(host), name) for name in names]
    return tuple(place for place in places if quiet_size(host, place) == 0)
