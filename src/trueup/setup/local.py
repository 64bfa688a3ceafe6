"""A lock whose files lie in folders of this machine: what uv is given where it shall not fetch them itself."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from trueup.plan.lock import Lock, Locked

HEAD = 'lock-version = "1.0"\ncreated-by = "trueup"\n'
ENTRY = re.compile(r'^\[\[packages\]\]\nname = "(?P<name>[^"]+)"\n', re.MULTILINE)


def local_text(lock: Lock, files: Mapping[str, Path]) -> str:
    """Return a pylock.toml in which each package has just the named file, with the lock's hash."""
    return HEAD + "".join(_entry(package, files[package.name]) for package in lock.packages)


def mixed_text(lock: Lock, files: Mapping[str, Path]) -> str:
    """Return the lock with the entries of some packages replaced by files that are here already."""
    starts = [found.start() for found in ENTRY.finditer(lock.text)]
    tail = lock.text.find("\n[tool.", starts[-1] if starts else 0)
    ends = [*starts[1:], tail if tail >= 0 else len(lock.text)]
    here = {package.name: package for package in lock.packages if package.name in files}
    parts = [lock.text[: starts[0]]]
    for start, end in zip(starts, ends, strict=True):
        found = ENTRY.match(lock.text, start)
        package = here.get(found["name"]) if found else None
        parts.append(_entry(package, files[package.name]) if package else lock.text[start:end])
    return "".join(parts)


def subset_text(lock: Lock, names: Iterable[str], files: Mapping[str, Path]) -> str:
    """Return the entries of some packages: the lock's own, as uv's cache knows them, or of files that are here."""
    wanted = set(names)
    starts = [found.start() for found in ENTRY.finditer(lock.text)]
    tail = lock.text.find("\n[tool.", starts[-1] if starts else 0)
    ends = [*starts[1:], tail + 1 if tail >= 0 else len(lock.text)]
    own = [lock.text[start:end] for start, end in zip(starts, ends, strict=True)]
    named = {found["name"]: one for one in own if (found := ENTRY.match(one))}
    here = {
        package.name: _entry(package, files[package.name])
        for package in lock.packages
        if package.name in files
    }
    return HEAD + "\n" + "".join(text for name, text in {**named, **here}.items() if name in wanted)


def _entry(package: Locked, file: Path) -> str:
    kind = "wheels = [{}]" if package.artifact.filename.endswith(".whl") else "sdist = {}"
    values = {"name": package.artifact.filename, "path": file.as_posix()}
    # JSON's text is TOML's: both escape quotes, backslashes and control characters alike.
    told = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()]
    told.append(f'hashes = {{ sha256 = "{package.artifact.sha256}" }}')
    head = f'\n[[packages]]\nname = "{package.name}"\nversion = "{package.version}"\n'
    return head + kind.format(f"{{ {', '.join(told)} }}") + "\n"
