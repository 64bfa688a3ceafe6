"""Which package index the user has configured: uv's settings first, then pip's, then what uv itself defaults to."""

from __future__ import annotations

import configparser
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from trueup.facts.harvest.refuse import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


class AskUv(Protocol):
    """Runs `uv` with arguments and an environment; returns its output, "" where it failed."""

    def __call__(self, arguments: list[str], environment: Mapping[str, str]) -> str: ...


class Configured(NamedTuple):
    """An index address, which may hold credentials, and who named it: uv, pip or uv's default."""

    address: str
    by: str


# `uv` writes the index that it would use, whatever file or variable named it, without asking that index.
QUESTION = ["pip", "compile", "-", "--emit-index-url", "--no-header", "--quiet", "--offline"]


def configured(environment: Mapping[str, str], pip_files: tuple[Path, ...], ask: AskUv) -> Configured:
    """Return the index to use; a refusal where nothing names one."""
    bare = {name: value for name, value in environment.items() if not name.startswith("UV_")}
    default = _named(ask([*QUESTION, "--no-config"], bare))
    of_uv = _named(ask(QUESTION, environment))
    if of_uv and of_uv != default:
        return Configured(of_uv, "uv")
    of_pip = environment.get("PIP_INDEX_URL") or _last(pip_files)
    if of_pip:
        return Configured(of_pip, "pip")
    if not default:
        raise Refused("no-index", "uv")
    return Configured(default, "uv-default")


def _named(output: str) -> str | None:
    """Return the main index of uv's answer: `--index-url ADDRESS`, or `--default-index ADDRESS`."""
    for line in output.splitlines():
        option, _, address = line.strip().partition(" ")
        if option in ("--index-url", "--default-index", "-i") and address:
            return address.strip()
    return None


def _last(files: tuple[Path, ...]) -> str | None:
    """Return what the last of pip's files says, as pip reads them."""
    found = None
    for file in files:
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(file.read_text("utf-8", "replace"))
        except (OSError, configparser.Error):
            continue
        for section in ("global", "install"):
            found = parser.get(section, "index-url", fallback=found)
    return found


def pip_files(environment: Mapping[str, str], *, windows: bool) -> tuple[Path, ...]:
    """Return where pip keeps its settings, the one that wins last."""
    return tuple(_pip_files(environment, windows=windows))


def _pip_files(environment: Mapping[str, str], *, windows: bool) -> Iterator[Path]:
    if explicit := environment.get("PIP_CONFIG_FILE"):
        yield Path(explicit)
        return
    name = "pip.ini" if windows else "pip.conf"
    if windows:
        for variable, folder in (("PROGRAMDATA", "pip"), ("USERPROFILE", "pip"), ("APPDATA", "pip")):
            if variable in environment:
                yield Path(environment[variable], folder, name)
    else:
        for folder in environment.get("XDG_CONFIG_DIRS", "/etc/xdg").split(":"):
            yield Path(folder, "pip", name)
        yield Path("/etc", name)
        home = Path(environment.get("HOME", "/"))
        yield home / ".pip" / name
        yield Path(environment.get("XDG_CONFIG_HOME", home / ".config"), "pip", name)
    if "VIRTUAL_ENV" in environment:
        yield Path(environment["VIRTUAL_ENV"], name)
