"""How large a folder is, bounded: a toolkit has ten thousand files, a wrong path might have millions."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Final

from trueup.machine.host import HostError, path_of
from trueup.machine.host.quiet import quiet_list, quiet_real, quiet_size
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import CondaPackage, Package

MOST: Final = 40_000  # entries
DEEPEST: Final = 24


def folder_size(host: Host, root: str, most: int = MOST) -> int | Unknown:
    """Return the bytes of all files below a folder. Links are not followed."""
    paths = path_of(host)
    total, seen, waiting = 0, 0, [(root, 0)]
    while waiting:
        folder, depth = waiting.pop()
        try:
            names = host.list_dir(folder)
        except HostError as error:
            return Unknown(error.why)
        for name in names or ():
            seen += 1
            if seen > most:
                return Unknown(Message("cuda.too-many-files", {"path": root, "count": most}))
            path = str(paths.join(folder, name))
            size = quiet_size(host, path)
            if _is_link(host, folder, path):
                continue
            if size is None and depth < DEEPEST:
                waiting.append((path, depth + 1))
            total += size or 0
    return total


def _is_link(host: Host, folder: str, path: str) -> bool:
    """Tell by the real path: what leads elsewhere counts where it lies."""
    paths = path_of(host)
    real = quiet_real(host, path)
    expected = paths.join(quiet_real(host, folder), paths.basename(path))
    return bool(paths.normcase(real) not in (paths.normcase(path), paths.normcase(expected)))


def package_size(host: Host, package: Package) -> int | Unknown:
    """Return the bytes of a distribution as its RECORD lists them."""
    path = path_of(host).join(package.place, package.folder or "", "RECORD")
    try:
        text = host.read_text(path)
    except HostError as error:
        return Unknown(error.why)
    if text is None:
        return Unknown(Message("machine.file-missing", {"path": path}))
    rows = csv.reader(text.splitlines())
    return sum(int(row[2]) for row in rows if len(row) > 2 and row[2].isdigit())


def conda_size(host: Host, prefix: str, package: CondaPackage) -> int | Unknown:
    """Return the bytes of a conda package as its record in `conda-meta` lists them."""
    name = f"{package.name}-{package.version}-{package.build}.json"
    path = path_of(host).join(prefix, "conda-meta", name)
    try:
        text = host.read_text(path)
        rows = json.loads(text or "{}").get("paths_data", {}).get("paths", ())
        found = [row["size_in_bytes"] for row in rows if "size_in_bytes" in row]
    except HostError as error:
        return Unknown(error.why)
    except (ValueError, AttributeError, TypeError):
        found = []
    return sum(found) if found else Unknown(Message("machine.file-missing", {"path": path}))


def added(sizes: list[int | Unknown]) -> int | Unknown:
    """Return the sum; unknown as soon as one is."""
    return next(
        (one for one in sizes if isinstance(one, Unknown)), sum(s for s in sizes if isinstance(s, int))
    )


def files_size(host: Host, folder: str, *starts: str) -> int | Unknown:
    """Return the bytes of the files of one folder whose names begin so."""
    names = [name for name in quiet_list(host, folder) if name.lower().startswith(starts)]
    return sum(quiet_size(host, str(path_of(host).join(folder, name))) or 0 for name in names)
