"""METADATA: what a wheel is called and asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.metadata import parse_email
from packaging.utils import canonicalize_name


@dataclass(frozen=True, slots=True)
class Metadata:
    """`requires` are PEP 508 texts as they stand there, sorted: the order of METADATA has no meaning."""

    name: str
    version: str
    requires_python: str | None
    requires: tuple[str, ...]
    extras: tuple[str, ...]


def read_metadata(text: str) -> Metadata | None:
    """Return the fields that matter; None where name or version are missing."""
    raw, _ = parse_email(text)
    name, version = raw.get("name"), raw.get("version")
    if not name or not version:
        return None
    return Metadata(
        canonicalize_name(name),
        version,
        raw.get("requires_python"),
        tuple(sorted(re.sub(r"\s+", " ", r).strip() for r in raw.get("requires_dist", []))),
        tuple(sorted(set(raw.get("provides_extra", [])))),
    )
