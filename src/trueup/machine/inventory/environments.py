"""Environments: those that were named, are active, belong to a notebook kernel, to conda or to an interpreter."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_real, quiet_size
from trueup.machine.inventory import packages as dists
from trueup.machine.inventory.builds import read_builds
from trueup.machine.inventory.kernels import read_kernels
from trueup.machine.inventory.model import Environment
from trueup.machine.inventory.places import site_folders, user_site
from trueup.machine.inventory.proven import RECORD, proven
from trueup.machine.model import Python
from trueup.machine.pythons.common import bits, conda_prefixes, conda_version, executable
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.machine.host import Host
    from trueup.values import Message

HOOK = "trueup.pth"
CHOSEN = "trueup-cuda.txt"
_LIMIT = 60  # of prefixes; a machine with more is a server whose users have their own


def read_environments(
    host: Host, env_dir: str | None, pythons: tuple[Python, ...]
) -> tuple[Environment, ...]:
    """Return each environment once, the most telling first: named, active, kernels', conda's, installed."""
    merged: dict[str, tuple[str, list[str]]] = {}
    for prefix, why in _prefixes(host, env_dir, pythons):
        key = path_of(host).normcase(path_of(host).normpath(prefix))
        merged.setdefault(key, (prefix, []))[1].append(why)
    found = []
    for prefix, reasons in list(merged.values())[:_LIMIT]:
        environment = read_environment(host, prefix, tuple(dict.fromkeys(reasons)), pythons)
        if environment is not None:
            found.append(environment)
    return tuple(found)


def _prefixes(host: Host, env_dir: str | None, pythons: tuple[Python, ...]) -> Iterator[tuple[str, str]]:
    paths = path_of(host)
    if env_dir:
        yield env_dir, "folder"
        yield from _of_project(host, paths.dirname(env_dir))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if host.env.get(name):
            yield host.env[name], "active"
    for kernel in read_kernels(host):
        if paths.isabs(kernel.python):
            yield prefix_of(host, kernel.python), "kernel"
    for prefix in conda_prefixes(host):
        yield prefix, "conda"
    for python in pythons:
        if python.path is not None:
            yield prefix_of(host, python.path), "installed"


def _of_project(host: Host, folder: str) -> Iterator[tuple[str, str]]:
    """Return pixi's environments of a project folder, and the interpreter that its editor is set to."""
    join = path_of(host).join
    pixi = join(folder, ".pixi", "envs")
    yield from ((join(pixi, name), "pixi") for name in quiet_list(host, pixi))
    try:
        text = host.read_text(join(folder, ".vscode", "settings.json")) or ""
    except HostError:
        return
    found = re.search(r'"python\.(?:defaultInterpreterPath|pythonPath)"\s*:\s*"((?:[^"\\]|\\.)+)"', text)
    if found:
        path = json.loads(f'"{found[1]}"').replace("${workspaceFolder}", folder)
        yield (prefix_of(host, path) if path_of(host).basename(path).startswith("python") else path), "editor"


def prefix_of(host: Host, python: str) -> str:
    """Return the folder that an interpreter is installed in: without `bin` or `Scripts`."""
    paths = path_of(host)
    folder = paths.dirname(python)
    return str(paths.dirname(folder) if paths.basename(folder).lower() in ("bin", "scripts") else folder)


def read_environment(
    host: Host, prefix: str, found_by: tuple[str, ...], pythons: tuple[Python, ...]
) -> Environment | None:
    """Return what is in a prefix; None where there is no environment."""
    config = _venv_config(host, prefix)
    if config is not None:
        return _venv(host, prefix, config, found_by)
    version = conda_version(host, prefix)
    if version is not None:
        python = Python(version, bits(host, executable(host, prefix)), executable(host, prefix), "conda")
        conda = dists.conda_packages(host, prefix)
        return _filled(host, Environment(prefix, "conda", python, (), (), found_by, conda=conda), user=True)
    base = next((p for p in pythons if p.path and _same(host, prefix_of(host, p.path), prefix)), None)
    if base is None:
        return None
    return _filled(host, Environment(prefix, "installed", base, (), (), found_by), user=True)


def _venv(host: Host, prefix: str, config: dict[str, str], found_by: tuple[str, ...]) -> Environment:
    paths = path_of(host)
    windows = host.platform == "windows"
    path = paths.join(prefix, "Scripts" if windows else "bin", "python.exe" if windows else "python")
    found = re.match(r"\d+\.\d+(\.\d+)?", config.get("version_info") or config.get("version", ""))
    python = Python(found[0] if found else _version_by_folder(host, prefix), bits(host, path), path, "venv")
    open_to_user = config.get("include-system-site-packages", "false").lower() == "true"
    environment = Environment(prefix, "venv", python, (), (), found_by, home=config.get("home"))
    return _filled(host, environment, user=open_to_user)


def _version_by_folder(host: Host, prefix: str) -> str:
    names = quiet_list(host, path_of(host).join(prefix, "lib"))
    return next((name.removeprefix("python") for name in names if re.fullmatch(r"python3\.\d+", name)), "3")


def _filled(host: Host, environment: Environment, *, user: bool) -> Environment:
    version = environment.python.version
    places = site_folders(host, environment.path, version)
    places = (*_python_path(host), *places)
    if user and not host.env.get("PYTHONNOUSERSITE"):
        before = len(_python_path(host))
        places = (*places[:before], user_site(host, version, environment.python.bits), *places[before:])
    listed, unread = _listed(host, _distinct(host, places))
    found = tuple(package for place, names in listed.items() for package in dists.read_packages(names, place))
    rests = tuple(
        path_of(host).join(place, name) for place, names in listed.items() for name in dists.leftovers(names)
    )
    stray = tuple(
        path_of(host).join(place, name)
        for place, names in listed.items()
        for name in dists.strays(names, found, environment.conda)
    )
    return replace(
        environment,
        places=tuple(place for place, names in listed.items() if names),
        packages=found,
        builds=read_builds(host, found),
        leftovers=rests,
        strays=stray,
        active=is_active(host, environment.path),
        hook=any(HOOK in names for names in listed.values()),
        ours=quiet_size(host, path_of(host).join(environment.path, RECORD)) is not None,
        proven=proven(host, environment.path, found),
        unread=unread,
        lacks_python=_lacking(host, environment),
        chosen=chosen_folders(host, environment.path),
    )


def chosen_folders(host: Host, prefix: str) -> tuple[str, ...]:
    """Return the folders of a toolkit that an environment's own file names, of those that are there."""
    try:
        text = host.read_text(path_of(host).join(prefix, CHOSEN)) or ""
        lines = [line.strip("\ufeff \r") for line in text.splitlines()]
        return tuple(one for one in lines if path_of(host).isabs(one) and host.list_dir(one) is not None)
    except HostError:
        return ()


def _python_path(host: Host) -> tuple[str, ...]:
    """Return the folders that PYTHONPATH puts before every environment's own."""
    separator = ";" if host.platform == "windows" else ":"
    return tuple(one for one in host.env.get("PYTHONPATH", "").split(separator) if path_of(host).isabs(one))


def _lacking(host: Host, environment: Environment) -> str | None:
    """Return the program without which the environment does not start: its own, or that of its origin."""
    needed = [environment.python.path] if environment.python.path else []
    if host.platform == "windows" and environment.home:  # a venv's python.exe starts the one in `home`
        needed.append(path_of(host).join(environment.home, "python.exe"))
    return next((str(path) for path in needed if _is_gone(host, path)), None)


def _is_gone(host: Host, path: str) -> bool:
    try:
        return host.size(path) is None
    except HostError:  # closed, or not recorded: nothing is said
        return False


def _distinct(host: Host, places: tuple[str, ...]) -> tuple[str, ...]:
    """Leave out a folder that is another by a link, as a venv's lib64 is its lib."""
    once: dict[str, str] = {}
    for place in places:
        once.setdefault(quiet_real(host, place), place)
    return tuple(once.values())


def _listed(host: Host, places: tuple[str, ...]) -> tuple[dict[str, tuple[str, ...]], tuple[Message, ...]]:
    asked = {place: _names(host, place) for place in places}
    listed = {place: names for place, names in asked.items() if not isinstance(names, Unknown)}
    return listed, tuple(names.why for names in asked.values() if isinstance(names, Unknown))


def _names(host: Host, folder: str) -> tuple[str, ...] | Unknown:
    try:
        return host.list_dir(folder) or ()
    except HostError as error:
        return Unknown(error.why)


def _venv_config(host: Host, prefix: str) -> dict[str, str] | None:
    try:
        text = host.read_text(path_of(host).join(prefix, "pyvenv.cfg"))
    except HostError:
        return None
    if text is None:
        return None
    pairs = (line.partition("=") for line in text.splitlines())
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def is_active(host: Host, prefix: str) -> bool:
    """Tell by PATH: variables outlive a `deactivate` in another shell, a folder on PATH does not."""
    paths = path_of(host)
    separator = ";" if host.platform == "windows" else ":"
    wanted = {prefix, paths.join(prefix, "bin"), paths.join(prefix, "Scripts")}
    wanted = {paths.normcase(paths.normpath(place)) for place in wanted}
    on_path = {
        paths.normcase(paths.normpath(part)) for part in host.env.get("PATH", "").split(separator) if part
    }
    return not wanted.isdisjoint(on_path)


def _same(host: Host, one: str, other: str) -> bool:
    paths = path_of(host)
    return bool(paths.normcase(paths.normpath(one)) == paths.normcase(paths.normpath(other)))


def exists(host: Host, environment: Environment) -> bool:
    return environment.python.path is not None and quiet_size(host, environment.python.path) is not None
