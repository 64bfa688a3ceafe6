"""HTTP for harvests: time-outs, a deadline against servers that drip, credentials for one host only."""

from __future__ import annotations

import base64
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from contextlib import contextmanager
from http.client import HTTPException, HTTPMessage, HTTPResponse
from typing import IO, TYPE_CHECKING

from trueup import __version__
from trueup.facts.harvest.refuse import Refused

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CHUNK = 1 << 16
LEAST_SPEED = 4096  # bytes a second, below which a transfer counts as hanging


class SafeRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, but none from an encrypted address to an open one."""

    def redirect_request(  # noqa: PLR0917  # the base class's signature
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if req.type == "https" and not newurl.lower().startswith("https:"):
            raise Refused("index-answer", shown(req.full_url), detail="redirect to an address without TLS")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def shown(address: str) -> str:
    """Return an address without user name, password and query."""
    parts = urllib.parse.urlsplit(address)
    host = parts.netloc.rpartition("@")[2]
    return urllib.parse.urlunsplit((parts.scheme, host, parts.path, "", ""))


def proxies(of: Mapping[str, str]) -> dict[str, str]:
    """Return the proxies of the system and of an environment by scheme; one for all schemes stands in for both."""
    found = urllib.request.getproxies()
    every = found.get("all") or of.get("ALL_PROXY") or of.get("all_proxy")
    return {scheme: every for scheme in ("http", "https") if every} | found


def _trust(certificates: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=certificates)
    except OSError as error:
        raise Refused("index-unreachable", str(certificates), detail=str(error)) from error


class Client:
    """Asks servers. `seconds` is the wait for any one answer; `fetched` counts the bytes of all bodies.

    `environment` is that of uv: its certificates and proxy are used here too.
    """

    def __init__(
        self,
        credentials_of: str | None = None,
        seconds: float = 20,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        settings = environment or {}
        self.seconds = seconds
        self.fetched = 0
        self._opener = urllib.request.OpenerDirector()
        for handler in (
            urllib.request.ProxyHandler(proxies(settings)),
            urllib.request.HTTPHandler(),
            urllib.request.HTTPSHandler(context=_trust(settings.get("SSL_CERT_FILE"))),
            urllib.request.HTTPDefaultErrorHandler(),
            urllib.request.HTTPErrorProcessor(),
            SafeRedirects(),
        ):
            self._opener.add_handler(handler)
        parts = urllib.parse.urlsplit(credentials_of or "")
        self._host = parts.netloc.rpartition("@")[2]
        user, _, password = parts.netloc.rpartition("@")[0].partition(":")
        pair = f"{urllib.parse.unquote(user)}:{urllib.parse.unquote(password)}"
        self._login = base64.b64encode(pair.encode()).decode() if user else None

    @contextmanager
    def get(self, address: str, headers: Mapping[str, str]) -> Iterator[HTTPResponse]:
        """Open an address; the refusal names it without credentials."""
        if urllib.parse.urlsplit(address).scheme not in ("http", "https"):
            raise Refused("index-answer", shown(address), detail="neither http nor https")
        request = urllib.request.Request(self._bare(address), headers=dict(headers))  # noqa: S310  # checked above
        request.add_header("User-Agent", f"trueup/{__version__}")
        request.add_header("Accept-Encoding", "identity")
        if self._login and request.host == self._host:
            request.add_unredirected_header("Authorization", f"Basic {self._login}")
        with self._failing(address), self._opener.open(request, timeout=self.seconds) as response:
            yield response

    def _bare(self, address: str) -> str:
        parts = urllib.parse.urlsplit(address)
        host = parts.netloc.rpartition("@")[2]
        path = urllib.parse.quote(parts.path, safe="/%:@!$&'()*+,;=~")
        return urllib.parse.urlunsplit((parts.scheme, host, path, parts.query, ""))

    @contextmanager
    def _failing(self, address: str) -> Iterator[None]:
        where = shown(address)
        try:
            yield
        except urllib.error.HTTPError as error:
            if error.code in (404, 410):
                raise Refused("no-project", where) from error
            raise Refused("index-answer", where, detail=f"HTTP {error.code} {error.reason}") from error
        except TimeoutError as error:
            raise Refused("index-too-slow", where, seconds=self.seconds) from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise Refused("index-too-slow", where, seconds=self.seconds) from error
            raise Refused("index-unreachable", where, detail=str(error.reason)) from error
        except (HTTPException, OSError, ValueError) as error:
            raise Refused("index-unreachable", where, detail=str(error) or type(error).__name__) from error

    def chunks(self, response: HTTPResponse, address: str, most: int) -> Iterator[bytes]:
        """Yield a body of at most `most` bytes; a server that drips or goes on is refused."""
        start, got = time.monotonic(), 0
        while chunk := response.read1(CHUNK):
            got += len(chunk)
            self.fetched += len(chunk)
            if got > most:
                raise Refused("index-answer", shown(address), detail=f"more than {most} bytes")
            if time.monotonic() - start > self.seconds + got / LEAST_SPEED:
                raise Refused("index-too-slow", shown(address), seconds=self.seconds)
            yield chunk
        if response.length:
            detail = f"ended {response.length} bytes early"
            raise Refused("index-unreachable", shown(address), detail=detail)
