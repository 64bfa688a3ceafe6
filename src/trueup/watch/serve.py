"""Samples over HTTP: one page, few connections at a time, none for long."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_AT_ONCE = 8
PATIENCE = 5.0  # seconds that a connection may take
TYPE = "text/plain; version=0.0.4; charset=utf-8"


def address(text: str, *, public: bool) -> tuple[str, int]:
    """Return host and port of `[HOST:]PORT`; other machines are let in only where `public`."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isascii() or not port.isdigit() or not 0 <= int(port) <= 65535:
        raise TrueupError(Message("watch.bad-address", {"text": text}), Message("watch.bad-address-hint"))
    if not public and not _loopback(host):
        told = Message("watch.not-loopback", {"host": host})
        raise TrueupError(told, Message("watch.not-loopback-hint", {"port": port}))
    return host, int(port)


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name may lead anywhere
        return False


class Server(ThreadingHTTPServer):
    """Answers `/metrics` with what `page()` returns. A connection too many is closed at once."""

    daemon_threads = True
    request_queue_size = MOST_AT_ONCE

    def __init__(self, place: tuple[str, int], page: Callable[[], str]) -> None:
        self.page = page
        self._slots = threading.BoundedSemaphore(MOST_AT_ONCE)
        if ":" in place[0]:
            self.address_family = socket.AF_INET6
        super().__init__(place, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Whoever went away in the middle is no event."""


class _Handler(BaseHTTPRequestHandler):
    timeout = PATIENCE
    server: Server

    def do_GET(self) -> None:
        if self.path.split("?")[0] not in {"/", "/metrics"}:
            self.send_error(404)
            return
        body = self.server.page().encode()
        self.send_response(200)
        self.send_header("Content-Type", TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Keep quiet: a scrape a second is no news."""


def serve(text: str, page: Callable[[], str], *, public: bool) -> Server:
    """Open the port and answer from a thread of its own."""
    host, port = address(text, public=public)
    try:
        server = Server((host, port), page)
    except (OSError, UnicodeError) as error:
        why = (isinstance(error, OSError) and error.strerror) or str(error)
        told = Message("watch.port-taken", {"host": host, "port": port, "text": why})
        raise TrueupError(told, Message("watch.port-taken-hint", {"port": port % 65535 + 1})) from error
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
