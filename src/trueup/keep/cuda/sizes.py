"""How large a folder is, bounded: a toolkit has ten thousand files, a wrong path might have millions."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Final

from trueup.machine.host import HostError, path_of
from trueup.machine.host.local import LocalFiles
from trueup.machine.host.quiet import quiet_list, quiet_size
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.machine.host import Host
    from trueup.machine.inventory.model import CondaPackage, Package

MOST: Final = 200_000  # entries


def folder_size(host: Host, root: str, most: int = MOST) -> int | Unknown:
    """Return the bytes of all files below a folder. Links are not followed."""
    try:
        size = host.tree_size(root, most) if isinstance(host, LocalFiles) else _asked(host, root, most)
    except HostError as error:
        return Unknown(error.why)
    except OSError as error:  # a file that went away while it was looked at
        return Unknown(Message("machine.unreadable", {"path": root, "text": str(error)}))
    return Unknown(Message("cuda.too-many-files", {"path": root, "count": most})) if size is None else size


def _asked(host: Host, root: str, most: int) -> int | None:
    """Ask any host, name by name; None beyond `most`."""
    total, seen, waiting = 0, 0, [root]
    while waiting:
        folder = waiting.pop()
        for name in host.list_dir(folder) or ():
            seen += 1
            if seen > most:
                return None
            path = str(path_of(host).join(folder, name))
            size = host.size(path)
            if size is None:
                waiting.append(path)
            total += size or 0
    return total


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
