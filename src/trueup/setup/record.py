"""`trueup.json`: what a finished environment says of itself. An environment without it is not ours."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from trueup import __version__
from trueup.setup.files import write_whole
from trueup.setup.journal import now
from trueup.setup.model import Environment, Record

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from trueup.fit.model import Alignment, Route
    from trueup.plan.lock import Lock
    from trueup.setup.model import Device

NAME: Final = "trueup.json"
LOCK_NAME: Final = "pylock.toml"
SCHEMA: Final = "trueup.environment/1"


def device_of(route: Route) -> Device:
    """Return the device that a route announces."""
    return "cpu" if route == "cpu" else "directml" if route == "directml" else "gpu"


def make(alignment: Alignment, lock: Lock, request_id: str, fingerprint: Mapping[str, Any]) -> Record:
    """Return the record of a build that just ended; nothing is proven yet."""
    return Record(
        trueup=__version__,
        made=now(),
        request_id=request_id,
        lock_sha256=lock.sha256,
        device=device_of(alignment.route),
        python=alignment.python,
        alignment=json.loads(json.dumps(asdict(alignment), default=str)),
        fingerprint=fingerprint,
    )


def write(env_dir: Path, record: Record) -> None:
    text = json.dumps({"schema": SCHEMA, **asdict(record)}, ensure_ascii=False, indent=1)
    write_whole(env_dir / NAME, text + "\n")


def read(env_dir: Path) -> Record | None:
    """Return the record of a folder, None where there is none that we understand."""
    try:
        values = json.loads((env_dir / NAME).read_text("utf-8"))
        return Record(**values) if values.pop("schema") == SCHEMA else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def environment(env_dir: Path, record: Record) -> Environment:
    return Environment(env_dir, python_of(env_dir), record)


def python_of(env_dir: Path) -> Path:
    """Return the interpreter of an environment of this or of the other system."""
    windows = env_dir / "Scripts" / "python.exe"
    return windows if windows.exists() else env_dir / "bin" / "python"


def site_packages(env_dir: Path) -> Path:
    """Return the folder that packages are in."""
    windows = env_dir / "Lib" / "site-packages"
    if windows.is_dir():
        return windows
    return next(iter(sorted(env_dir.glob("lib/python*/site-packages"))), windows)


def mark_proven(env_dir: Path, proof: Mapping[str, Any]) -> Record:
    """Keep a passed proof in the record of a finished environment."""
    record = read(env_dir)
    if record is None:
        raise FileNotFoundError(env_dir / NAME)
    proven = replace(record, proof={"date": now(), **proof})
    write(env_dir, proven)
    return proven
