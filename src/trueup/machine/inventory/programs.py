"""What a shell starts for `python` and `pip`, and whether the two belong together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_size
from trueup.machine.inventory.model import Programs
from trueup.machine.pythons.windows import path_programs, store_stubs
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host

_USER_SCRIPTS = re.compile(r"\\Python\\Python(\d)(\d+)(-32)?\\Scripts$", re.IGNORECASE)

# a path that is too long for "#!" or holds a space is handed to a shell
_LONG = re.compile(rb"'''exec' (?:\"([^\"]+)\"|(\S+))")


def read_programs(host: Host) -> Programs:
    windows = host.platform == "windows"
    python = tuple(path_programs(host, ("python.exe",) if windows else ("python", "python3")))
    pip = tuple(path_programs(host, ("pip.exe",) if windows else ("pip", "pip3")))
    stubs = store_stubs(host) if windows else ()
    return Programs(python, pip, stubs, pip_python(host, pip[0]) if pip else None)


def pip_python(host: Host, pip: str) -> str | Unknown:
    """Return the interpreter that a pip installs for."""
    return _beside(host, pip) if host.platform == "windows" else _first_line(host, pip)


def _beside(host: Host, pip: str) -> str | Unknown:
    """Tell by the folder: a pip.exe in Scripts installs for the python.exe above it, in a venv for its neighbour."""
    paths = path_of(host)
    scripts = paths.dirname(pip)
    if found := _USER_SCRIPTS.search(scripts):
        return f"Python {found[1]}.{found[2]}"
    for place in (paths.join(scripts, "python.exe"), paths.join(paths.dirname(scripts), "python.exe")):
        if quiet_size(host, place) is not None:
            return str(place)
    return Unknown(Message("machine.pip-of-nobody", {"path": pip}))


def _first_line(host: Host, pip: str) -> str | Unknown:
    try:
        head = (host.read_head(pip) or b"").split(b"\n", 1)
    except HostError as error:
        return Unknown(error.why)
    line = head[0].decode("utf-8", "replace")
    if line == "#!/bin/sh" and (long := _LONG.search(head[-1])):
        return (long[1] or long[2]).decode("utf-8", "replace")
    if not line.startswith("#!") or "python" not in line:
        return Unknown(Message("machine.pip-of-nobody", {"path": pip}))
    return line[2:].strip().split(" ")[0]
