"""Puts the view of PATH together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trueup.keep.pathvar.model import Variable, View
from trueup.keep.pathvar.startfiles import start_lines
from trueup.keep.pathvar.variables import process_path, registry_paths, same
from trueup.keep.pathvar.words import PROGRAMS, libraries, programs, together

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.keep.pathvar.model import Scope
    from trueup.machine.host import Host
    from trueup.values import Unknown


def read_view(host: Host, names: tuple[str, ...] = (), kinds: Mapping[str, str] | None = None) -> View:
    """Return what PATH is and leads to. `kinds`: types of the registry's values, where they were read."""
    windows = host.platform == "windows"
    process = process_path(host)
    machine, user = registry_paths(host, kinds or {}) if windows else (None, None)
    both = [one for one in (machine, user) if isinstance(one, Variable)]
    owners = _owners(host, (*both, process))
    words = programs(host, names or PROGRAMS, owners)
    fresh = ";".join(";".join(entry.folder for entry in one.entries) for one in both)
    return View(
        windows=windows,
        process=process,
        machine=machine,
        user=user,
        programs=words,
        libraries=() if names else libraries(host, owners),
        stale=_only_in(host, both, [process]),
        session=_only_in(host, [process], both) if both else (),
        start_lines=() if windows else start_lines(host),
        length=max(len(fresh), len(process.text)),
        together=together(host, words),
    )


def _owners(host: Host, variables: tuple[Variable, ...]) -> Mapping[str, Scope]:
    owners: dict[str, Scope] = {}
    for variable in variables:
        for entry in variable.entries:
            if entry.folder:
                owners.setdefault(same(host, entry.folder), variable.scope)
    return owners


def _only_in(host: Host, some: list[Variable], others: list[Variable]) -> tuple[str, ...]:
    known = {same(host, entry.folder) for one in others for entry in one.entries if entry.folder}
    found = {
        same(host, entry.folder): entry.folder
        for one in some
        for entry in one.entries
        if entry.folder and entry.state != "variable"
    }
    return tuple(folder for key, folder in found.items() if key not in known)


def read(value: Variable | Unknown | None) -> Variable | None:
    """Return a variable that could be read."""
    return value if isinstance(value, Variable) else None
