"""The shipped tables. A file is read once, when it is first asked for."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.values import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

DATA = Path(__file__).with_name("data")


@functools.cache
def table(name: str) -> Any:
    """Return a decoded file of the data folder: `table("builds/tensorflow")`."""
    return json.loads((DATA / f"{name}.json").read_bytes())


def exists(name: str) -> bool:
    return (DATA / f"{name}.json").is_file()


def source(
    known: Mapping[str, Mapping[str, str]],
    name: str,
    confidence: str | None = None,
    conflict: str | None = None,
) -> Source:
    """Return a source of a file's "sources", with what a row says of it."""
    text = known[name]
    return Source(
        name=text["name"],
        date=text["date"],
        confidence=confidence or text.get("confidence", "high"),
        address=text.get("address"),
        conflict=conflict or text.get("conflict"),
    )
