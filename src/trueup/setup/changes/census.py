"""What lies in a folder of conda's, small enough to keep inside it: enough to tell whether anybody changed it since."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, Final, Literal

from trueup.setup import fingerprint
from trueup.setup.changes.tally import CACHED
from trueup.setup.files import long, write_whole
from trueup.setup.model import EnvChange

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

NAME: Final = "trueup-made.json"
SCHEMA: Final = "trueup.made/1"
DEEP: Final = 4  # an entry is a path of so many parts: `lib/python3.10/site-packages/numpy`
UNHEEDED: Final = frozenset({NAME, NAME + ".new", "__pycache__", ".lock"})

Stage = Literal["begun", "whole"]


def count(folder: Path) -> dict[str, list[Any]]:
    """Return entry -> number of files, bytes, and a digest of names, sizes and times of change. Reads no content."""
    found: dict[str, list[Any]] = {}
    digests: dict[str, Any] = {}
    for name, entry in _files(folder):
        key = "/".join(name.split("/")[:DEEP])
        size, line = _line(name, entry)
        row = found.setdefault(key, [0, 0, ""])
        row[0] += 1
        row[1] += size
        digests.setdefault(key, hashlib.sha256()).update(line)
    return {key: [*row[:2], digests[key].hexdigest()] for key, row in found.items()}


def _line(name: str, entry: os.DirEntry[str]) -> tuple[int, bytes]:
    if entry.is_symlink():
        return 0, f"{name} -> {os.readlink(entry.path)}\n".encode(errors="surrogateescape")  # noqa: PTH115
    found = entry.stat(follow_symlinks=False)
    return found.st_size, f"{name} {found.st_size} {found.st_mtime_ns}\n".encode(errors="surrogateescape")


def _files(folder: Path) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every file in an order that is the same each time; links are not followed."""
    folders = [(str(long(folder)), "")]
    while folders:
        path, inside = folders.pop()
        with os.scandir(path) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                if entry.name in UNHEEDED or entry.name.endswith(CACHED):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append((entry.path, f"{inside}{entry.name}/"))
                else:
                    yield inside + entry.name, entry


def packages(folder: Path, prefix: Path) -> dict[str, list[str]]:
    """Return name -> version and what tells two of one version apart: conda's build, or the SHA-256 of pip's RECORD."""
    found = {name: list(row) for name, row in fingerprint.distributions(prefix).items()}
    del folder
    for record in sorted((prefix / "conda-meta").glob("*.json")):
        parts = record.stem.rsplit("-", 2)
        if len(parts) == 3:
            found[f"{parts[0]} (conda)"] = parts[1:]
    return found


def begin(folder: Path, token: str) -> None:
    """Mark a folder as one that is being made."""
    _write(folder, {"made": token, "stage": "begun"})


def finish(folder: Path, prefix: Path, token: str) -> None:
    """Mark a folder as whole, with what is in it. `prefix`: the environment, where the folder is a workspace."""
    inside = os.path.relpath(prefix, folder)
    there = {"packages": packages(folder, prefix), "files": count(folder)}
    _write(folder, {"made": token, "stage": "whole", "prefix": inside, **there})


def _write(folder: Path, values: Mapping[str, Any]) -> None:
    write_whole(folder / NAME, json.dumps({"schema": SCHEMA, **values}, ensure_ascii=False) + "\n")


def mark(folder: Path) -> dict[str, Any]:
    """Return what a folder's mark says; nothing where there is none that we understand."""
    try:
        found = json.loads((folder / NAME).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("schema") == SCHEMA else {}


def since(folder: Path, told: Mapping[str, Any]) -> tuple[EnvChange, ...]:
    """Return what is different from what the mark says."""
    prefix = folder / str(told.get("prefix", "."))
    before, now = told.get("files", {}), count(folder)
    return (
        *fingerprint.package_changes(told.get("packages", {}), packages(folder, prefix)),
        *(
            EnvChange(
                "files-missing" if e not in now else "files-added" if e not in before else "files-edited", e
            )
            for e in sorted({*before, *now})
            if before.get(e) != now.get(e)
        ),
    )
