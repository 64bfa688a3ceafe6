"""A small channel of conda on loopback: an index without packages, enough to solve against."""

from __future__ import annotations

import hashlib
import json
import threading
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the name of the overridden one
        """Say nothing."""


def row(name: str, version: str, build: str, subdir: str, depends: tuple[str, ...] = ()) -> dict[str, Any]:
    text = f"{name}-{version}-{build}"
    return {
        "name": name, "version": version, "build": build, "build_number": 0, "depends": list(depends), "subdir": subdir,
        "sha256": hashlib.sha256(text.encode()).hexdigest(), "size": 1,
    }  # fmt: skip


@contextmanager
def channel(folder: Path, subdir: str, *rows: dict[str, Any]) -> Iterator[str]:
    """Serve the rows as a channel named `small` and yield its address."""
    for name in (subdir, "noarch"):
        mine = {f"{r['name']}-{r['version']}-{r['build']}.conda": r for r in rows if r["subdir"] == name}
        place = folder / "small" / name
        place.mkdir(parents=True)
        document = {"info": {"subdir": name}, "packages": {}, "packages.conda": mine, "repodata_version": 1}
        (place / "repodata.json").write_text(json.dumps(document))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/small"
    finally:
        server.shutdown()
        server.server_close()


def solved(address: str, specs: list[str], subdir: Any) -> dict[str, str]:
    """Return name -> version and build, as conda's own library solves it."""
    import asyncio

    import rattler

    records = asyncio.run(
        rattler.solve(sources=[rattler.Channel(address)], specs=specs, platforms=[subdir, "noarch"])
    )
    return {record.name.normalized: f"{record.version} {record.build}" for record in records}
