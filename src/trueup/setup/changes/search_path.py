"""The user's own PATH: on Windows in the registry, elsewhere a line in `~/.profile`."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from trueup.setup.changes.files import file_change

if TYPE_CHECKING:
    from trueup.setup.changes.blobs import Blobs
    from trueup.setup.changes.model import Change


def added(folder: Path, blobs: Blobs) -> tuple[Change, ...]:
    """Return what puts a folder at the end of the user's PATH; nothing where it is there."""
    if sys.platform == "win32":
        return _in_registry(folder)
    return _in_profile(folder, Path.home() / ".profile", blobs)


def _in_profile(folder: Path, profile: Path, blobs: Blobs) -> tuple[Change, ...]:
    line = f'export PATH="$PATH":{shlex.quote(str(folder))}\n'.encode()
    old = profile.read_bytes() if profile.exists() else b""
    if line in old:
        return ()
    gap = b"" if old.endswith(b"\n") or not old else b"\n"
    return (file_change(profile, old + gap + line, blobs),)


if sys.platform == "win32":
    from trueup.setup.changes.registry import RegistryKind, registry_changes

    def _in_registry(folder: Path) -> tuple[Change, ...]:
        """Keep the value's type: as REG_SZ, `%USERPROFILE%` in it would not be read any more."""
        key, name = "HKCU\\Environment", "Path"
        now = RegistryKind().read({"key": key, "name": name})
        if now is not None and "data" not in now:
            raise OSError(f"{key}\\{name}: type {now['type']}")
        old = str(now["data"]) if now else ""
        if os.path.normcase(str(folder)) in [os.path.normcase(part.rstrip("\\")) for part in old.split(";")]:
            return ()
        kind = now["type"] if now else "REG_EXPAND_SZ"
        return registry_changes(key, name, kind, f"{old.rstrip(';')};{folder}" if old else str(folder))
