"""What a word really leads to: each file that PATH has for it, in the order of the shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from trueup.keep.pathvar.model import Hit, Word
from trueup.keep.pathvar.text import bare, split
from trueup.keep.pathvar.variables import same, separator
from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_real, quiet_size
from trueup.machine.inventory.cuda import read_cuda, toolkit_version
from trueup.machine.inventory.programs import pip_python
from trueup.machine.pythons.common import VERSION
from trueup.machine.pythons.windows import apps_folder, python_version
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.keep.pathvar.model import Scope
    from trueup.machine.host import Host

PROGRAMS: Final = ("python", "python3", "pip", "conda", "uv", "nvcc", "ptxas")
_EXTENSIONS: Final = ".COM;.EXE;.BAT;.CMD"
_TIMEOUT: Final = 5.0


def programs(host: Host, names: tuple[str, ...], owners: Mapping[str, Scope]) -> tuple[Word, ...]:
    """Return what the shell finds. `owners`: folder -> whose PATH it comes from."""
    return tuple(_word(host, name, owners) for name in names)


def _word(host: Host, name: str, owners: Mapping[str, Scope]) -> Word:
    hits: dict[str, Hit] = {}
    unread = 0
    for part in split(host.env.get("PATH", ""), separator(host)):
        folder = bare(part) if host.platform == "windows" else quiet_real(host, part)
        if folder.startswith(("\\\\", "//")):  # another computer: asking it may hang
            unread += 1
            continue
        try:
            path = _first(host, folder, name) if folder else None
        except HostError:
            unread += 1
            continue
        if path is not None and same(host, path) not in hits:
            hits[same(host, path)] = _hit(host, name, path, owners.get(same(host, folder)))
    return Word(name, tuple(hits.values()), unread)


def _first(host: Host, folder: str, name: str) -> str | None:
    """Return the file that a folder has for a name. Raises HostError."""
    files = (str(path_of(host).join(folder, file)) for file in _files(host, name))
    return next((path for path in files if host.size(path) is not None), None)


def _files(host: Host, name: str) -> tuple[str, ...]:
    if host.platform != "windows" or "." in name:
        return (name,)
    extensions = host.env.get("PATHEXT") or _EXTENSIONS
    return tuple(name + extension.lower() for extension in extensions.split(";") if extension)


def _hit(host: Host, name: str, path: str, scope: Scope | None) -> Hit:
    if name.startswith("python"):
        stub = same(host, path).startswith(same(host, apps_folder(host))) and quiet_size(host, path) == 0
        return Hit(
            path, scope, None if stub else _python(host, path), stub=host.platform == "windows" and stub
        )
    if name.startswith("pip"):
        return Hit(path, scope, belongs=pip_python(host, path))
    return Hit(path, scope, _version(host, name, path))


def _python(host: Host, path: str) -> str | Unknown | None:
    if host.platform == "windows":
        return python_version(host, path) or Unknown(Message("machine.no-version-resource", {"path": path}))
    return _asked(host, path, "-V")


def _version(host: Host, name: str, path: str) -> str | Unknown | None:
    paths = path_of(host)
    above = paths.dirname(paths.dirname(quiet_real(host, path)))
    if name in ("nvcc", "ptxas"):
        return toolkit_version(host, above)
    if name == "conda":
        found = (
            re.match(r"conda-(\d[\w.]*)-", file)
            for place in (above, paths.dirname(paths.dirname(path)))
            for file in quiet_list(host, paths.join(place, "conda-meta"))
        )
        return next((hit[1] for hit in found if hit), None)
    return _asked(host, path, "--version") if name == "uv" else None


def _asked(host: Host, path: str, option: str) -> str | Unknown | None:
    try:
        result = host.run([path, option], _TIMEOUT)
    except HostError as error:
        return Unknown(error.why)
    found = VERSION.search(result.out or result.err) if result is not None and result.code == 0 else None
    return found[1] if found else None


def libraries(host: Host, owners: Mapping[str, Scope]) -> tuple[Word, ...]:
    """Return the copies of CUDA's libraries that the loader would look through, by file name."""
    paths = path_of(host)
    found: dict[str, list[Hit]] = {}
    for copy in read_cuda(host):
        if copy.kind != "toolkit" and copy.order is not None:
            scope = owners.get(same(host, paths.dirname(copy.path)))
            found.setdefault(paths.basename(copy.path), []).append(Hit(copy.path, scope, copy.version))
    return tuple(Word(name, tuple(hits)) for name, hits in sorted(found.items()))


def together(host: Host, words: tuple[Word, ...]) -> bool | None:
    """Tell whether the first `pip` installs for the first `python`; None where one is not there or not known."""
    first = {word.name: word.hits[0] for word in words if word.hits}
    python, pip = first.get("python") or first.get("python3"), first.get("pip")
    if python is None or pip is None or python.stub or not isinstance(pip.belongs, str):
        return None
    if not path_of(host).isabs(pip.belongs):
        return None
    return same(host, quiet_real(host, pip.belongs)) == same(host, quiet_real(host, python.path)) or (
        _prefix(host, pip.belongs) == _prefix(host, python.path)
    )


def _prefix(host: Host, program: str) -> str:
    return same(host, path_of(host).dirname(program))
