"""A loopback index, and a uv that knows nothing else: these tests need no network."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from fake_index import serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def index() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture
def mood(index: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], None]:
    """Return what points uv at one mood of the index; its cache is empty."""
    for key in list(os.environ):
        if key.startswith(("PIP_", "UV_")) or key.lower().endswith("_proxy"):
            monkeypatch.delenv(key)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("UV_NO_CONFIG", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("UV_HTTP_TIMEOUT", "2")
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")

    def point(name: str) -> None:
        monkeypatch.setenv("UV_DEFAULT_INDEX", f"{index}/{name}/simple")

    point("good")
    return point
