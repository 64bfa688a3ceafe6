"""What is known of the settings: rows with sources, in `data/settings.json`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

from trueup.keep.tune.model import Lore, Row
from trueup.values import Source

DATA = Path(__file__).with_name("data") / "settings.json"


@functools.cache
def _document() -> Any:
    return json.loads(DATA.read_text("utf-8"))


@functools.cache
def rows() -> tuple[Row, ...]:
    return tuple(_row(dict(raw)) for raw in _document()["settings"])


@functools.cache
def lore() -> tuple[Lore, ...]:
    """Return what guides tell without reason."""
    return tuple(Lore(raw["name"], raw["verdict"], _sources(raw)) for raw in _document()["folklore"])


def row(name: str) -> Row:
    return next(one for one in rows() if one.name == name)


def _row(raw: dict[str, Any]) -> Row:
    sources = _sources(raw)
    return Row(**{**raw, "systems": tuple(raw["systems"]), "sources": sources})


def _sources(raw: Any) -> tuple[Source, ...]:
    return tuple(Source(**source) for source in raw["sources"])
