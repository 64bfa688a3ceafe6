"""The shipped tables. A file is read once, when it is first asked for."""

from __future__ import annotations

import functools
import gc
import json
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.values import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DATA = Path(__file__).with_name("data")


@contextmanager
def uncollected() -> Iterator[None]:
    """Hold the cyclic collector back while rows are made: none of them is garbage, and looking costs a third."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@functools.cache
def table(name: str) -> Any:
    """Return a decoded file of the data folder: `table("builds/tensorflow")`."""
    with uncollected():
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
