"""Mirrors of the package index and of Pythons: a list with sources, and what choosing one means for uv."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import resources
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from trueup.values import Message, Source, TrueupError

if TYPE_CHECKING:
    from trueup.setup.uv import Uv

# The mirror stands in for the user's main index; what else the user asks stays.
REPLACED: Final = ("UV_INDEX_URL", "UV_NO_INDEX")


@dataclass(frozen=True, slots=True)
class Mirror:
    """`index` or `python` is None where the mirror has no packages, or no Pythons."""

    name: str
    title: str
    index: str | None
    python: str | None = None
    note: str | None = None
    source: Source | None = None
    chinese: str = ""  # its name in China, where that is another


@dataclass(frozen=True, slots=True)
class Probe:
    """A small file of a known hash that every whole mirror has."""

    project: str
    file: str
    sha256: str
    bytes: int


@functools.cache
def _table() -> dict[str, Any]:
    text = (resources.files("trueup.setup.mirrors") / "mirrors.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def mirrors() -> tuple[Mirror, ...]:
    """Return the built-in list, in the order of the file."""
    return tuple(
        Mirror(
            row["name"],
            row["title"],
            row["index"],
            row["python"],
            row["note"],
            Source(**row["source"]),
            row["chinese"],
        )
        for row in _table()["rows"]
    )


def probe() -> Probe:
    row = _table()["probe"]
    return Probe(row["project"], row["file"], row["sha256"], row["bytes"])


def needed() -> tuple[tuple[str, str], ...]:
    """Return (project, file) of large wheels that partial mirrors lack and GPU builds need."""
    return tuple((row["project"], row["file"]) for row in _table()["needed"])


def find(text: str) -> Mirror:
    """Return the mirror of that name, or one for an address. Raises TrueupError."""
    known = {mirror.name: mirror for mirror in mirrors()}
    if text.strip().lower() in known:
        return known[text.strip().lower()]
    parts = urlsplit(text.strip())
    if parts.scheme in {"http", "https"} and parts.hostname:
        return Mirror(parts.hostname, parts.hostname, text.strip())
    near = get_close_matches(text.strip().lower(), known, n=3) or list(known)
    raise TrueupError(
        Message("mirrors.unknown", {"name": text}),
        Message("mirrors.unknown-hint", {"names": ", ".join(near)}),
    )


def with_mirror(uv: Uv, mirror: Mirror) -> Uv:
    """Return uv with the mirror in place of the user's main index and source of Pythons."""
    env = {key: value for key, value in uv.env.items() if mirror.index is None or key not in REPLACED}
    if mirror.index:
        env["UV_DEFAULT_INDEX"] = mirror.index
    if mirror.python:
        env["UV_PYTHON_INSTALL_MIRROR"] = mirror.python
    return replace(uv, env=env)
