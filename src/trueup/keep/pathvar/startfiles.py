"""Lines of shells' start files that touch PATH. They are shown, never edited: only their owner knows what they do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trueup.keep.pathvar.model import StartLine
from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trueup.machine.host import Host

_OWN: Final = (
    ".profile",
    ".bash_profile",
    ".bash_login",
    ".bashrc",
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".config/fish/config.fish",
    ".pam_environment",
)
_TOUCHES: Final = re.compile(
    r"(?<![A-Z_])(?:LD_LIBRARY_)?PATH\s*\+?=|fish_add_path|path\s*\+?=\(|set\s.*\bPATH\b"
)


def start_lines(host: Host) -> tuple[StartLine, ...]:
    return tuple(line for path in _files(host) for line in _lines(host, path))


def _files(host: Host) -> Iterator[str]:
    join, home = path_of(host).join, host.env.get("HOME", "")
    yield from ("/etc/environment", "/etc/profile")
    yield from (
        join("/etc/profile.d", name) for name in quiet_list(host, "/etc/profile.d") if name.endswith(".sh")
    )
    if home:
        yield from (join(home, name) for name in _OWN)


def _lines(host: Host, path: str) -> Iterator[StartLine]:
    try:
        text = host.read_text(path) or ""
    except HostError:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if _TOUCHES.search(line) and not line.lstrip().startswith("#"):
            yield StartLine(path, number, line.strip())
