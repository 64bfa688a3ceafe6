"""An index on the loopback that serves the wheels of a folder, or lies about them; and how that folder is filled."""

from __future__ import annotations

import functools
import hashlib
import html
import subprocess
import sys
import threading
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.tags import sys_tags
from packaging.utils import canonicalize_name, parse_wheel_filename
from uv import find_uv_bin

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PROJECT = '[project]\nname = "x"\nversion = "0"\nrequires-python = ">={python}"\ndependencies = {names}\n'


def locked(folder: Path, *requirements: str) -> list[dict[str, Any]]:
    """Return what uv writes of packages: each with its `wheels`, their `url` and `hash`."""
    folder.mkdir(parents=True, exist_ok=True)
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    text = PROJECT.format(python=python, names=list(requirements))
    (folder / "pyproject.toml").write_text(text, "utf-8")
    subprocess.run([find_uv_bin(), "lock", "--quiet", "--no-config", "--project", folder], check=True)
    packages: list[dict[str, Any]] = tomllib.loads((folder / "uv.lock").read_text("utf-8"))["package"]
    return packages


def fill(folder: Path, scratch: Path, *requirements: str) -> None:
    """Download the best wheel of each package for this machine, checked by its hash."""
    order = {tag: number for number, tag in enumerate(sys_tags())}
    for package in locked(scratch, *requirements):
        ranked = [
            (min(order[tag] for tag in parse_wheel_filename(name)[3] if tag in order), name, wheel)
            for wheel in package.get("wheels", ())
            for name in [wheel["url"].rsplit("/", 1)[1]]
            if any(tag in order for tag in parse_wheel_filename(name)[3])
        ]
        if ranked:
            _, name, wheel = min(ranked, key=lambda row: row[:2])
            download(folder / name, wheel)


def download(target: Path, wheel: dict[str, Any]) -> None:
    with urllib.request.urlopen(wheel["url"], timeout=120) as answer:  # noqa: S310  # uv's own lock
        data = answer.read()
    assert "sha256:" + hashlib.sha256(data).hexdigest() == wheel["hash"]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)


class _Index(BaseHTTPRequestHandler):
    def __init__(self, folder: Path, asked: list[str], *args: Any) -> None:
        self.folder, self.asked = folder, asked
        super().__init__(*args)

    def do_GET(self) -> None:
        self.asked.append(self.path)
        parts = self.path.strip("/").split("/")
        if parts[0] == "simple" and len(parts) == 2:
            found = [p for p in sorted(self.folder.iterdir()) if _project(p.name) == parts[1]]
            links = "".join(_link(path) for path in found)
            self._answer(200 if found else 404, f"<!DOCTYPE html><html><body>{links}</body></html>".encode())
        elif parts[0] in {"files", "releases"} and (self.folder / parts[-1]).is_file():
            self._answer(200, (self.folder / parts[-1]).read_bytes())
        else:
            self._answer(404, b"")

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if body[:1] == b"<" else "application/octet-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815  # http.server's name

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""


def _link(path: Path) -> str:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f'<a href="../../files/{path.name}#sha256={digest}">{html.escape(path.name)}</a><br>\n'


def _project(name: str) -> str:
    return canonicalize_name(name.partition("-")[0])


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Serve a folder; yield the address, without `/simple`, and the paths that were asked for."""
    asked: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Index, folder, asked))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()
