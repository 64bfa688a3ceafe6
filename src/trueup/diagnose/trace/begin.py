"""Prepares a search for an environment: the program's folder, the hook's folders, the loader's cache."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.diagnose.trace.linux import LinuxSearch, read_cache
from trueup.diagnose.trace.roots import loader, roots, wanted
from trueup.diagnose.trace.walk import trace
from trueup.diagnose.trace.windows import WindowsSearch
from trueup.machine.host import HostError, path_of

if TYPE_CHECKING:
    from trueup.diagnose.trace.model import Open, Search, Trace
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, FrameworkBuild


def trace_build(host: Host, environment: Environment, build: FrameworkBuild, open_: Open) -> Trace:
    """Trace a framework of an environment."""
    search = search_for(host, environment, open_)
    return trace(search, open_, roots(host, build), wanted(host, build), loader(host, build))


def search_for(host: Host, environment: Environment | None, open_: Open) -> Search:
    """Return the loader's search as a Python of this environment has it; without one, as any program has it."""
    if host.platform != "windows":
        return LinuxSearch(host, open_, _hook_folders(host, environment), read_cache(host))
    if environment is None:
        return WindowsSearch(host, "", (3, 8))
    paths = path_of(host)
    scripts = (environment.path, paths.join(environment.path, "Scripts"))
    major, minor = (*environment.python.version.split("."), "0")[:2]
    return WindowsSearch(
        host,
        environment.home or environment.path,
        (int(major), int(minor)),
        scripts if environment.hook else (),
        _hook_folders(host, environment),
    )


def _hook_folders(host: Host, environment: Environment | None) -> tuple[str, ...]:
    """Return the chosen toolkit's folders and those of NVIDIA's wheels, as the hook finds them."""
    if environment is None or not environment.hook:
        return ()
    join = path_of(host).join
    tails = (("bin",), ("lib", "x64"), ("bin", "x86_64")) if host.platform == "windows" else (("lib",),)
    found = list(environment.chosen)
    for place in environment.places:
        root = join(place, "nvidia")
        for name in _names(host, root):
            found += [folder for tail in tails if _names(host, folder := join(root, name, *tail))]
    return tuple(found)


def _names(host: Host, folder: str) -> tuple[str, ...]:
    try:
        return host.list_dir(folder) or ()
    except HostError:
        return ()
