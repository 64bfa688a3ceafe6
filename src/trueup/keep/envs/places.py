"""Where each tool keeps its environments. Only these folders are listed; the user's own tree is never walked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from trueup.machine.host import path_of
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.machine.pythons.common import conda_prefixes, home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.machine.host import Host

MOST: Final = 200  # a folder of one tool


@dataclass(frozen=True, slots=True)
class Place:
    """A folder whose subfolders are environments, `depth` levels down."""

    tool: str
    path: str
    depth: int = 1


def places(host: Host) -> Iterator[Place]:
    """Return the folders of all tools, those that variables name first."""
    env, join = host.env, path_of(host).join
    windows, user = host.platform == "windows", home(host)
    local = (
        env.get("LOCALAPPDATA", "") if windows else env.get("XDG_DATA_HOME") or join(user, ".local", "share")
    )
    roaming = env.get("APPDATA", "") if windows else local
    cache = local if windows else env.get("XDG_CACHE_HOME") or join(user, ".cache")
    pyenv = env.get("PYENV_ROOT") or join(user, ".pyenv")
    for variable, tool, inside in _NAMED:
        if env.get(variable):
            yield Place(tool, str(join(env[variable], *inside)))
    for prefix in conda_prefixes(host):
        yield Place("conda", str(join(prefix, "envs")))
    yield Place("conda", str(join(user, ".conda", "envs")))
    yield Place("pixi", str(join(user, ".pixi", "envs")))
    yield Place("pyenv-virtualenv", str(join(pyenv, "versions")))
    yield Place("pyenv-virtualenv", str(join(pyenv, "versions")), 3)
    tail = ("pypoetry", "Cache", "virtualenvs") if windows else ("pypoetry", "virtualenvs")
    yield Place("poetry", str(join(cache, *tail)))
    yield Place("pipenv", str(join(user, ".virtualenvs") if windows else join(local, "virtualenvs")))
    yield Place("virtualenvwrapper", str(join(user, "Envs" if windows else ".virtualenvs")))
    yield Place(
        "uv-tool", str(join(roaming, "uv", "tools") if not windows else join(roaming, "uv", "data", "tools"))
    )
    yield Place("pipx", str(join(user, "pipx", "venvs") if windows else join(local, "pipx", "venvs")))
    yield Place("pipx", str(join(user, ".local", "pipx", "venvs")))
    yield Place("pdm", str(join(local, "pdm", "pdm", "venvs") if windows else join(local, "pdm", "venvs")))
    yield Place("hatch", str(join(local, "hatch", "env", "virtual")), 3)


_NAMED: Final = (
    ("CONDA_ENVS_PATH", "conda", ()),
    ("CONDA_ENVS_DIRS", "conda", ()),
    ("MAMBA_ROOT_PREFIX", "conda", ("envs",)),
    ("PIXI_HOME", "pixi", ("envs",)),
    ("POETRY_VIRTUALENVS_PATH", "poetry", ()),
    ("POETRY_CACHE_DIR", "poetry", ("virtualenvs",)),
    ("WORKON_HOME", "virtualenvwrapper", ()),
    ("UV_TOOL_DIR", "uv-tool", ()),
    ("PIPX_HOME", "pipx", ("venvs",)),
)


def prefixes(host: Host) -> Iterator[tuple[str, str]]:
    """Return environment -> tool of all that lie in these folders."""
    for place in places(host):
        for folder in _below(host, place.path, place.depth):
            if is_environment(host, folder):
                yield folder, place.tool


def _below(host: Host, root: str, depth: int) -> list[str]:
    folders = [root]
    for _ in range(depth):
        join = path_of(host).join
        folders = [str(join(folder, name)) for folder in folders for name in quiet_list(host, folder)][:MOST]
    return folders


def is_environment(host: Host, folder: str) -> bool:
    """Tell by what each kind of environment has: a Python of pyenv itself is none."""
    join = path_of(host).join
    return quiet_size(host, join(folder, "pyvenv.cfg")) is not None or bool(
        quiet_list(host, join(folder, "conda-meta"))
    )


def tool_of(host: Host, prefix: str) -> str | None:
    """Return the tool that a prefix itself tells of; None where it tells of none."""
    join = path_of(host).join
    if quiet_size(host, join(prefix, "conda-meta", "pixi")) is not None:
        return "pixi"
    if quiet_list(host, join(prefix, "conda-meta")):
        return "conda"
    if quiet_size(host, join(prefix, "trueup.json")) is not None:
        return "trueup"
    text = _text(host, join(prefix, "pyvenv.cfg"))
    return "uv" if any(line.startswith("uv =") for line in text.splitlines()) else None


def _text(host: Host, path: str) -> str:
    from trueup.machine.host import HostError  # noqa: PLC0415

    try:
        return host.read_text(path) or ""
    except HostError:
        return ""
