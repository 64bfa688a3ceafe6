"""Linux, WSL and macOS: PATH, pyenv, uv and conda."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list
from trueup.machine.model import Python
from trueup.machine.pythons.common import VERSION, bits, conda_pythons, folder_pythons, home, in_venv

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.machine.host import Host

_NAME = re.compile(r"python3(\.\d+)?$")
_TIMEOUT = 5.0


def linux_pythons(host: Host) -> Iterator[Python]:
    env, join = host.env, path_of(host).join
    data = env.get("XDG_DATA_HOME") or join(home(host), ".local", "share")
    yield from folder_pythons(
        host, join(env.get("PYENV_ROOT") or join(home(host), ".pyenv"), "versions"), "pyenv"
    )
    yield from folder_pythons(host, env.get("UV_PYTHON_INSTALL_DIR") or join(data, "uv", "python"), "uv")
    yield from conda_pythons(host)
    yield from on_path(host)


def on_path(host: Host) -> Iterator[Python]:
    paths = path_of(host)
    folders = dict.fromkeys([*host.env.get("PATH", "").split(":"), "/usr/bin", "/usr/local/bin"])
    for folder in folders:
        if not folder or folder.endswith("/shims"):
            continue
        for name in quiet_list(host, folder):
            if _NAME.match(name) and (found := _program(host, paths.join(folder, name))):
                yield found


def _program(host: Host, path: str) -> Python | None:
    if in_venv(host, path):
        return None
    try:
        real = host.real_path(path)
        if in_venv(host, real) or "/conda-meta" in real:
            return None
        version = _version(host, real)
    except HostError:
        return None
    kind = "system" if real.startswith(("/usr/bin/", "/bin/")) else "path"
    return Python(version, bits(host, real), real, kind) if version else None


def _version(host: Host, path: str) -> str | None:
    """Ask `-V`, which answers before the interpreter is set up (2 ms)."""
    result = host.run([path, "-V"], _TIMEOUT)
    found = VERSION.search(result.out or result.err) if result is not None and result.code == 0 else None
    return found[1] if found else None
