"""Names of files in a bundle: they must mean the same file on every system, and one inside the folder."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from trueup.setup.bundle.errors import BundleError

if TYPE_CHECKING:
    from collections.abc import Iterable

FORBIDDEN: Final = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?", re.IGNORECASE)
LONGEST: Final = 200


def check(name: str) -> str:
    """Return a name that is safe. Raises BundleError `bad-name`."""
    parts = name.split("/")
    if not name or len(name) > LONGEST or FORBIDDEN.search(name) or any(map(_unsafe, parts)):
        raise BundleError("bad-name", name=ascii(name)[1:-1][:LONGEST])
    return name


def _unsafe(part: str) -> bool:
    return part in {"", ".", ".."} or part[-1] in " ." or RESERVED.fullmatch(part) is not None


def check_inside(name: str) -> None:
    """Raise BundleError where a name could lead out of a folder. For archives of others, made for one system."""
    parts = name.rstrip("/").split("/")
    if not parts[0] or ".." in parts or "\\" in name or name[1:2] == ":" or "\0" in name:
        raise BundleError("bad-name", name=ascii(name)[1:-1][:LONGEST])


def check_all(names: Iterable[str]) -> None:
    """Raise BundleError where a name is unsafe, or two are one where case or form does not count."""
    seen: dict[str, str] = {}
    for name in names:
        check(name)
        for folder in _folders_and_file(name):
            key = unicodedata.normalize("NFC", folder).casefold()
            if seen.setdefault(key, folder) != folder:
                raise BundleError("same-name", name=folder, other=seen[key])


def _folders_and_file(name: str) -> Iterable[str]:
    parts = name.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts) + 1))
