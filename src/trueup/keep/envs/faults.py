"""What is wrong inside an environment itself: rests, packages of pip over conda's, files that went away."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from packaging.utils import canonicalize_name

from trueup.keep.envs.content import conda_records, inside, owners, quiet_text
from trueup.machine.host import HostError, path_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trueup.keep.envs.content import Content
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import Environment, Package

# a user may have removed documents and tests to save room: nothing breaks without them
NEEDED: Final = (".dll", ".so", ".pyd", ".exe", ".py", ".dylib")


@dataclass(frozen=True, slots=True)
class Shadow:
    """A distribution that pip put over a package of conda, whose files are gone with it. `address` of conda's file."""

    name: str
    pip: str
    conda: str
    address: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A package whose files are not all there. `address`: of conda's file, empty for pip's packages."""

    by: Literal["conda", "pip"]
    name: str
    version: str
    files: tuple[str, ...]
    address: str = ""


@dataclass(frozen=True, slots=True)
class Faults:
    """`leftovers`: what pip's broken uninstallations left, inside this environment.

    `shared`: distribution of pip -> others that say that the same file is theirs: with one of them it goes from all.
    """

    leftovers: tuple[str, ...]
    shadows: tuple[Shadow, ...]
    missing: tuple[Missing, ...]
    shared: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.leftovers or self.missing)


def read_faults(host: Host, environment: Environment, content: Content) -> Faults:
    """Compare what conda and pip wrote down with what is there. Reads names, and no file but their records."""
    records, _ = conda_records(host, environment.path)
    shadows = tuple(_shadows(records, content))
    there = Names(host)
    over = {one.name for one in shadows}
    written = dict(_written(host, environment, owners(records), {row.name for row in content.pip}))
    missing = [
        *_missing_of_conda(there, environment, records, over),
        *_missing_of_pip(there, written),
    ]
    prefix = path_of(host).normcase(environment.path)
    rests = tuple(one for one in environment.leftovers if path_of(host).normcase(one).startswith(prefix))
    return Faults(rests, shadows, tuple(missing), _shared(written))


def _shadows(records: list[dict[str, Any]], content: Content) -> Iterator[Shadow]:
    pip = {canonicalize_name(row.name): row.version for row in content.pip}
    for record in records:
        name = canonicalize_name(str(record["name"]))
        if name in pip:
            yield Shadow(name, pip[name], str(record["version"]), address_of(record))


def address_of(record: dict[str, Any]) -> str:
    """Return the address that conda's file came from, with its sum: what an explicit list names it by."""
    url, md5 = str(record.get("url") or ""), str(record.get("md5") or "")
    return f"{url}#{md5}" if url and md5 else url


class Names:
    """Answers whether a file is there by the names in its folder, each folder read once."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._folders: dict[str, frozenset[str] | None] = {}

    def lacks(self, path: str) -> bool:
        """Tell whether a file is surely not there: a folder that cannot be read says nothing."""
        paths = path_of(self._host)
        folder, name = paths.split(paths.normpath(path))
        if folder not in self._folders:
            self._folders[folder] = self._read(folder)
        names = self._folders[folder]
        return names is not None and self._case(name) not in names

    def _read(self, folder: str) -> frozenset[str] | None:
        try:
            return frozenset(map(self._case, self._host.list_dir(folder) or ()))
        except HostError:
            return None

    def _case(self, name: str) -> str:
        return name.lower() if self._host.platform == "windows" else name

    @property
    def host(self) -> Host:
        return self._host


def _missing_of_conda(
    there: Names, environment: Environment, records: list[dict[str, Any]], over: set[str]
) -> Iterator[Missing]:
    join = path_of(there.host).join
    for record in records:
        name = str(record["name"])
        if canonicalize_name(name) in over:
            continue
        files = [str(one) for one in record.get("files") or () if str(one).endswith(NEEDED)]
        gone = tuple(one for one in files if there.lacks(join(environment.path, *one.split("/"))))
        if gone:
            yield Missing("conda", name, str(record["version"]), gone, address_of(record))


def _written(
    host: Host, environment: Environment, owned: Mapping[str, str], pip: set[str]
) -> Iterator[tuple[Package, tuple[str, ...]]]:
    """Yield each distribution that pip brought, with the files that it says it has."""
    join = path_of(host).join
    for package in environment.packages:
        below = inside(host, environment.path, package)
        if below is not None and below.lower() not in owned and package.name in pip:
            text = quiet_text(host, join(package.place, package.folder or "", "RECORD"))
            yield package, _listed(text)


def _listed(text: str) -> tuple[str, ...]:
    """Return the files that a RECORD names; none where it is not one any more."""
    try:
        return tuple(row[0] for row in csv.reader(text.splitlines()) if row)
    except csv.Error:
        return ()


def _missing_of_pip(there: Names, written: Mapping[Package, tuple[str, ...]]) -> Iterator[Missing]:
    join = path_of(there.host).join
    for package, rows in written.items():
        files = (row for row in rows if row.endswith(NEEDED))
        gone = tuple(row for row in files if there.lacks(join(package.place, *row.split("/"))))
        if gone:
            yield Missing("pip", package.name, package.version, gone)


def _shared(written: Mapping[Package, tuple[str, ...]]) -> dict[str, frozenset[str]]:
    owner: dict[tuple[str, str], set[str]] = {}
    for package, rows in written.items():
        for row in rows:
            if not row.endswith(".pyc"):
                owner.setdefault((package.place, row), set()).add(package.name)
    found: dict[str, set[str]] = {}
    for names in owner.values():
        if len(names) > 1:
            for name in names:
                found.setdefault(name, set()).update(names - {name})
    return {name: frozenset(others) for name, others in found.items()}
