"""A package index on loopback that behaves, or misbehaves as a test asks."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

JSON = "application/vnd.pypi.simple.v1+json"


@dataclass
class Manner:
    """How the index behaves. `html`: no JSON. `drip`: seconds between single bytes. `cut`: bodies end early."""

    ranges: bool = True
    html: bool = False
    drip: float = 0
    cut: bool = False
    silent: float = 0
    wrong_hash: bool = False
    tag: str = '"1"'
    page: bytes | None = None
    page_type: str = JSON
    login: str | None = None
    redirect: str | None = None
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)
    sent: int = 0


@contextmanager
def index(files: dict[str, bytes], manner: Manner, project: str = "tensorflow") -> Iterator[str]:
    """Serve files as one project; yield the address of the simple API."""

    class Handler(_Handler):
        pass

    Handler.files, Handler.manner, Handler.project = files, manner, project
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    files: dict[str, bytes]
    manner: Manner
    project: str
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's name
        pass

    def do_GET(self) -> None:  # the base class's name
        manner = self.manner
        manner.asked.append((self.path, self.headers.get("Range")))
        manner.logins.append(self.headers.get("Authorization"))
        time.sleep(manner.silent)
        if manner.login and self.headers.get("Authorization") != manner.login:
            self._send(401, b"", "text/plain")
        elif manner.redirect and not self.path.startswith("/files/"):
            self.send_response(302)
            self.send_header("Location", manner.redirect)
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == f"/simple/{self.project}/":
            self._page()
        elif self.path.startswith("/files/") and self.path[7:] in self.files:
            self._file(self.files[self.path[7:]])
        else:
            self._send(404, b"no such page", "text/plain")

    def _page(self) -> None:
        if self.manner.page is not None:
            self._send(200, self.manner.page, self.manner.page_type)
        elif self.manner.html:
            rows = (f'<a href="../../files/{n}#sha256={self._hash(n)}">{n}</a><br>' for n in self.files)
            self._send(200, f"<html><body>{''.join(rows)}</body></html>".encode(), "text/html")
        else:
            files = [
                {
                    "filename": n,
                    "url": f"../../files/{n}",
                    "hashes": {"sha256": self._hash(n)},
                    "size": len(b),
                }
                for n, b in self.files.items()
            ]
            page = {"meta": {"api-version": "1.1"}, "name": self.project, "files": files}
            self._send(200, json.dumps(page).encode(), JSON)

    def _hash(self, name: str) -> str:
        return "0" * 64 if self.manner.wrong_hash else hashlib.sha256(self.files[name]).hexdigest()

    def _file(self, data: bytes) -> None:
        asked = self.headers.get("Range")
        if not asked or not self.manner.ranges:
            self._send(200, data, "application/zip")
            return
        first, _, last = asked.removeprefix("bytes=").partition("-")
        start = int(first) if first else max(0, len(data) - int(last))
        end = min(len(data) - 1, int(last)) if first and last else len(data) - 1
        self._send(206, data[start : end + 1], "application/zip", f"bytes {start}-{end}/{len(data)}")

    def _send(self, status: int, body: bytes, kind: str, span: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", self.manner.tag)
        if span:
            self.send_header("Content-Range", span)
        self.end_headers()
        self.manner.sent += len(body)
        try:
            if self.manner.drip:
                for at in range(len(body)):
                    self.wfile.write(body[at : at + 1])
                    self.wfile.flush()
                    time.sleep(self.manner.drip)
            elif self.manner.cut:
                self.wfile.write(body[: len(body) // 2])
                self.close_connection = True
            else:
                self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the client gave up, as it should
