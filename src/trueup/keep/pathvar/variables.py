"""Reads each PATH and tells of every entry what it is. Nothing on another computer is asked: it may hang."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trueup.keep.pathvar.model import Entry, Variable
from trueup.keep.pathvar.text import bare, expand, split
from trueup.machine.host import HostError, path_of
from trueup.values import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.keep.pathvar.model import Scope, State
    from trueup.machine.host import Host

KEYS: Final[Mapping[str, str]] = {
    "machine": "HKLM\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment",
    "user": "HKCU\\Environment",
}


def separator(host: Host) -> str:
    return ";" if host.platform == "windows" else ":"


def process_path(host: Host) -> Variable:
    text = host.env.get("PATH", "")
    return Variable("process", text, entries(host, text, dict(host.env), {}))


def registry_paths(
    host: Host, kinds: Mapping[str, str]
) -> tuple[Variable | Unknown | None, Variable | Unknown | None]:
    """Return the machine's PATH and the user's, None where a value is not set. `kinds`: the values' types."""
    values = {scope: _values(host, key) for scope, key in KEYS.items()}
    variables = {name.upper(): value for name, value in host.env.items()}
    for found in values.values():
        if not isinstance(found, Unknown):
            variables |= {name: value for name, value in found.items() if name != "PATH"}
    taken: dict[str, str] = {}
    read: dict[str, Variable | Unknown] = {}
    for scope in ("machine", "user"):
        found = values[scope]
        if isinstance(found, Unknown):
            read[scope] = found
        elif "PATH" in found:
            read[scope] = Variable(
                _scope(scope),
                found["PATH"],
                entries(host, found["PATH"], variables, taken),
                kinds.get(scope),
            )
    return read.get("machine"), read.get("user")


def _scope(name: str) -> Scope:
    return "machine" if name == "machine" else "user"


def _values(host: Host, key: str) -> dict[str, str] | Unknown:
    try:
        found = host.registry_values(key) or {}
    except HostError as error:
        return Unknown(error.why)
    return {name.upper(): value for name, value in found.items() if isinstance(value, str)}


def entries(host: Host, text: str, variables: Mapping[str, str], taken: dict[str, str]) -> tuple[Entry, ...]:
    """Return the entries of a text. `taken`: folder -> the entry that has it; new ones are put in."""
    parts = split(text, separator(host))
    if host.platform == "windows" and parts and not parts[-1].strip():
        parts.pop()  # a `;` at the end is how installers leave it, and means nothing
    return tuple(_entry(host, part, variables, taken) for part in parts)


def _entry(host: Host, text: str, variables: Mapping[str, str], taken: dict[str, str]) -> Entry:
    whole = True
    folder = text
    if host.platform == "windows":
        folder, whole = expand(bare(text), variables)
    if not folder:
        return Entry(text, folder, "empty")
    key = same(host, folder)
    if key in taken:
        return Entry(text, folder, "duplicate", taken[key])
    state: State = _state(host, folder) if whole else "variable"
    if state in ("ok", "network", "away", "unread"):
        taken[key] = text
    return Entry(text, folder, state)


def same(host: Host, folder: str) -> str:
    """Return what two spellings of one folder have in common."""
    paths = path_of(host)
    return str(paths.normcase(paths.normpath(folder)))


def _state(host: Host, folder: str) -> State:
    paths = path_of(host)
    if host.platform == "windows":
        if folder.startswith(("\\\\", "//")):
            return "network"
        if not re.match(r"[A-Za-z]:[\\/]", folder):
            return "relative"
        drive = _folder(host, folder[:3])
        if not drive:
            return "unread" if drive is None else "away"
    elif not paths.isabs(folder):
        return "relative"
    found = _folder(host, paths.normpath(folder))
    if found is None:
        return "unread"
    if found:
        return "ok"
    return "file" if _is_file(host, folder) else "dead"


def _folder(host: Host, path: str) -> bool | None:
    try:
        return host.match(path, "\0") is not None
    except HostError:
        return None


def _is_file(host: Host, path: str) -> bool:
    try:
        return host.size(path) is not None
    except HostError:
        return False
