"""What holds a folder: running programs, this very process, what is active, environments made from it."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psutil

import trueup
from trueup.keep.clean.model import Against
from trueup.keep.clean.tree import mounts_inside
from trueup.setup.changes.holders import PYTHONS
from trueup.values import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ACTIVE: Final = ("VIRTUAL_ENV", "CONDA_PREFIX")


@dataclass(frozen=True, slots=True)
class Program:
    """A running program; `places` in the form that is compared."""

    name: str
    places: frozenset[str]


def against(
    path: Path,
    env: Mapping[str, str],
    needed_by: Iterable[tuple[str, str]] = (),
    keep: Iterable[Path] = (),
    running: Iterable[Program] | None = None,
) -> Iterator[Against]:
    """Yield what forbids to move a path. `needed_by`: environment -> the folder of its Python.

    `keep`: folders that are never moved with another, such as the journal. `running`: programs, where they were
    just looked at.
    """
    if _is_network(path):
        yield _hard("network", path=str(path))
        return
    for place in (*own_places(), *keep, Path.home()):
        if _inside(place, path):
            yield _hard("own-place", path=str(place))
            return
    if _inside(_cwd(), path):
        yield _hard("current-folder", path=str(_cwd()))
    yield from _environments(path, env, needed_by)
    for mount in mounts_inside(path):
        yield _hard("mount", path=mount)
    using = programs_using(path, running)
    if using:
        yield _hard("in-use", programs=", ".join(using[:5]))


def _environments(
    path: Path, env: Mapping[str, str], needed_by: Iterable[tuple[str, str]]
) -> Iterator[Against]:
    for name in ACTIVE:
        if env.get(name) and _inside(Path(env[name]), path):
            yield _hard("active", variable=name, path=env[name])
    for environment, home in needed_by:
        if _inside(Path(home), path) and not _inside(Path(environment), path):
            yield _hard("needed", path=environment)


def programs() -> tuple[Program, ...]:
    """Return what runs now, with every place that each is known to use."""
    found, callers = [], _callers()
    for process in psutil.process_iter():
        known = _places(process, words=process.pid not in callers)
        places = {_normal(form) for place in known for form in (place, os.path.realpath(place))}
        found.append(Program(f"{_name(process)} ({process.pid})", frozenset(places)))
    return tuple(found)


def _callers() -> frozenset[int]:
    """Return this process and those that started it: they name what is to be cleaned in their command lines."""
    with suppress(psutil.Error, OSError):
        return frozenset({os.getpid(), *(parent.pid for parent in psutil.Process().parents())})
    return frozenset({os.getpid()})


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except (psutil.Error, OSError):  # it ended, or the system does not tell
        return "?"


def programs_using(path: Path, running: Iterable[Program] | None = None) -> tuple[str, ...]:
    """Return `name (process number)` of those that run from a place, stand in it or have a file of it open."""
    tops = {_normal(str(path)), _normal(os.path.realpath(path))}
    inside = tuple(top.rstrip(os.sep) + os.sep for top in tops)
    found = programs() if running is None else running
    return tuple(
        one.name for one in found if any(place in tops or place.startswith(inside) for place in one.places)
    )


def _places(process: psutil.Process, *, words: bool) -> Iterator[str]:
    """Yield where a process runs and stands, and what it has open; of its `words` those that are paths."""
    with suppress(psutil.Error, OSError):
        yield process.cwd()
    with suppress(psutil.Error, OSError):
        yield process.exe()
    if sys.platform != "win32":  # there, the system itself refuses to move what is open
        with suppress(psutil.Error, OSError):
            yield from (file.path for file in process.open_files())
    with suppress(psutil.Error, OSError):
        line = process.cmdline()
        if words:
            yield from (word for word in line if os.path.isabs(word) and "\n" not in word)  # noqa: PTH117
        if line and os.path.dirname(line[0]):  # noqa: PTH120  # a bare name is no path
            yield os.path.join(process.cwd(), line[0])  # noqa: PTH118
    with suppress(psutil.Error, OSError):
        if PYTHONS.search(process.name()):
            if process.pid != os.getpid():  # we may be started from a shell that activated it
                yield from filter(None, [process.environ().get("VIRTUAL_ENV")])
            yield from (region.path for region in process.memory_maps() if os.path.isabs(region.path))  # noqa: PTH117


def own_places() -> tuple[Path, ...]:
    """Return what this very trueup runs from."""
    found = (sys.executable, os.path.realpath(sys.executable), sys.prefix, sys.base_prefix, trueup.__file__)
    return tuple(Path(place) for place in found if place)


def _inside(place: Path, folder: Path) -> bool:
    """Tell whether a place is a folder or lies in it, by name or by where links lead."""
    if not str(place):
        return False
    tops = {_normal(str(folder)), _normal(os.path.realpath(folder))}
    names = (_normal(str(place)), _normal(os.path.realpath(place)))
    return any(name == top or name.startswith(top.rstrip(os.sep) + os.sep) for name in names for top in tops)


def _normal(path: str) -> str:
    return os.path.normcase(os.path.abspath(path))  # noqa: PTH100


def _cwd() -> Path:
    try:
        return Path.cwd()
    except OSError:  # somebody removed it
        return Path()


def _is_network(path: Path) -> bool:
    return str(path).startswith(("\\\\", "//"))


def _hard(name: str, /, **params: str) -> Against:
    return Against(Message(f"clean.{name}", params), hard=True)
