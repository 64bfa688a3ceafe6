"""A loopback index with moods: good, and each way in which mirrors and portals go wrong."""

from __future__ import annotations

import hashlib
import io
import threading
import time
import zipfile
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PORTAL = b'<html><body><h1>Please log in</h1><a href="/login">log in</a></body></html>'


def wheel(name: str = "foo", version: str = "1.0", files: dict[str, str] | None = None) -> bytes:
    """Return the bytes of a small wheel; equal arguments give equal bytes."""
    info = f"{name}-{version}.dist-info"
    members = {f"{name}/__init__.py": f"version = {version!r}\n", **(files or {})}
    members[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    members[f"{info}/WHEEL"] = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    members[f"{info}/RECORD"] = "".join(f"{member},,\n" for member in [*members, f"{info}/RECORD"])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for member, text in members.items():
            archive.writestr(zipfile.ZipInfo(member), text)
    return packed.getvalue()


WHEELS = {
    f"{n}-{v}-py3-none-any.whl": wheel(n, v)
    for n, v in (("foo", "1.0"), ("foo", "2.0"), ("bar", "1.0"), ("pip", "26.0"))
}


class Index(ThreadingHTTPServer):
    """The server; `stop` lets go of those that it keeps waiting."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.stop = threading.Event()


class Handler(BaseHTTPRequestHandler):
    """`/MOOD/simple/NAME/` and `/MOOD/files/WHEEL`."""

    STATUS = {"404": 404, "500": 500, "401": 401, "403": 403}  # noqa: RUF012  # a constant table
    server: Index

    def log_message(self, *_: object) -> None:
        """Keep the test's output clean."""

    def do_HEAD(self) -> None:  # http.server's name
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, *, body: bool) -> None:
        _, mood, kind, *rest = self.path.split("/")
        if mood == "hang" or (mood == "hang-file" and kind == "files"):
            self.server.stop.wait(60)
        if mood in self.STATUS or self.path.endswith(".metadata"):
            self._send(self.STATUS.get(mood, 404), b"", body=body)
        elif mood == "portal":
            self._send(200, PORTAL, body=body)
        elif kind == "simple":
            self._send(200, self._page(mood, rest[0]), body=body)
        else:
            self._file(mood, rest[0], body=body)

    def _page(self, mood: str, package: str) -> bytes:
        names = [name for name in WHEELS if name.startswith(f"{package}-")]
        links = (f'<a href="/{mood}/files/{n}#sha256={sha256(WHEELS[n])}">{n}</a>' for n in names)
        return f"<html><body>{''.join(links)}</body></html>".encode()

    def _file(self, mood: str, name: str, *, body: bool) -> None:
        data = WHEELS[name]
        if mood == "wheel-404":
            self._send(404, b"", body=body)
        elif mood == "wheel-portal":
            self._send(200, PORTAL, body=body)
        elif mood == "wheel-other":
            self._send(
                200,
                wheel(name.split("-", maxsplit=1)[0], "1.0", {"evil.py": "x = 1\n"}),
                body=body,
                kind="application/zip",
            )
        elif mood == "wheel-cut":
            self._send(200, data[: len(data) // 2], body=body, kind="application/zip", claimed=len(data))
        else:
            if mood == "slow":
                time.sleep(0.5)
            self._send(200, data, body=body, kind="application/zip")

    def _send(
        self, status: int, data: bytes, *, body: bool, kind: str = "text/html", claimed: int | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if claimed is None else claimed))
        self.end_headers()
        if body:
            with suppress(OSError):  # uv hangs up on what it does not want
                self.wfile.write(data)


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@contextmanager
def serving() -> Iterator[str]:
    """Yield the address of a running index; append `/MOOD/simple`."""
    server = Index()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.stop.set()
        server.shutdown()
        server.server_close()
