"""Which running programs use an environment: found by what they are, never stopped."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PYTHONS: Final = re.compile(r"python|pypy|jupyter|ipython", re.IGNORECASE)


def holders(env: Path) -> tuple[str, ...]:
    """Return `name (process number)` of each program that runs from the environment or holds its libraries."""
    return tuple(
        f"{_name(process)} ({process.pid})" for process in psutil.process_iter() if _uses(process, env)
    )


def _name(process: psutil.Process) -> str:
    for read in (process.name, lambda: os.path.basename(process.exe())):  # noqa: PTH119  # may be Windows'
        with suppress(psutil.Error, OSError):  # ended just now, or not answered by the system
            return read()
    return "?"


def _uses(process: psutil.Process, env: Path) -> bool:
    tops = tuple(dict.fromkeys(_normal(str(one)) + os.sep for one in (env, os.path.realpath(env))))
    with suppress(psutil.Error, OSError):
        return any(_normal(path).startswith(tops) for path in _paths(process))
    return False


def _paths(process: psutil.Process) -> Iterator[str]:
    """Yield program, first word and, of a Python, its libraries: a link leads to a Python outside."""
    with suppress(psutil.Error, OSError):
        yield process.exe()
    with suppress(psutil.Error, OSError):
        first = next(iter(process.cmdline()), "")
        if os.path.dirname(first):  # noqa: PTH120  # a bare name is no path
            called = os.path.join(process.cwd(), first)  # noqa: PTH118
            yield called
            yield os.path.join(os.path.realpath(os.path.dirname(called)), "")  # noqa: PTH118, PTH120  # by a link
    with suppress(psutil.Error, OSError):
        if PYTHONS.search(process.name()):
            if process.pid != os.getpid():  # we may be started from a shell that activated it
                active = process.environ().get("VIRTUAL_ENV", "") + os.sep
                yield from (active, os.path.join(os.path.realpath(active), ""))  # noqa: PTH118
            yield from (region.path for region in process.memory_maps())


def _normal(path: str) -> str:
    return os.path.normcase(os.path.abspath(path)) + (os.sep if path.endswith(os.sep) else "")  # noqa: PTH100
