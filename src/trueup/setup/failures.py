"""Turns what uv prints when it fails into one kind of error. The patterns are uv's own words, 0.9 to 0.13."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.setup.errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trueup.setup.errors import Kind

QUOTED_LINES = 14
PYTHON = re.compile(r"(?:\bPython |\bcpython-)v?(\d+(?:\.\d+)*)", re.IGNORECASE)
PROXIES = ("HTTPS_PROXY", "ALL_PROXY")


@dataclass(frozen=True, slots=True)
class Pattern:
    """`what` is a group of the expression: the package, host or path that the message names."""

    kind: Kind
    expression: re.Pattern[str]


def _pattern(kind: Kind, expression: str) -> Pattern:
    return Pattern(kind, re.compile(expression, re.IGNORECASE | re.DOTALL))


# The first that is found wins, so causes stand before what they lead to.
PATTERNS = (
    _pattern(
        "disk-filled", r"No space left on device|os error 28\b|os error 112\b|not enough space|quota exceeded"
    ),
    _pattern(
        "virus",
        r"(?:`(?P<what>[^`]+)`[^`]*?)?(?:os error 22[56]\b|contains a virus or potentially unwanted software)",
    ),
    _pattern("in-use", r"os error 32\b|being used by another process|Text file busy"),
    _pattern(
        "unwritable", r"`(?P<what>[^`]+)`: (?:Permission denied|Read-only file system|Access is denied)"
    ),
    _pattern("unwritable", r"Permission denied|Read-only file system|Access is denied|os error 5\b"),
    _pattern("hash", r"Hash mismatch for `(?P<what>[^`]+)`"),
    _pattern(
        "tls",
        r"invalid peer certificate|UnknownIssuer|certificate (?:verify|required|has expired)|self.signed",
    ),
    _pattern("proxy", r"tunnel error|proxy authentication|\b407\b|socks"),
    _pattern("dns", r"dns error.*?(?P<what>\n|$)|failed to lookup address"),
    _pattern("hang", r"operation timed out|timed? ?out|timeout"),
    _pattern(
        "refused", r"(?P<what>https?://[^\s)`]+)[^\n]*?\b(?:401|403)\b|\b(?:401 Unauthorized|403 Forbidden)"
    ),
    _pattern("server", r"HTTP status server error|\b429 Too Many Requests|\b50[0-9] "),
    _pattern("not-found", r"404 Not Found\) for url \((?P<what>[^)]+)\)"),
    _pattern("not-an-index", r"Unsupported `Content-Type`[^`]*`(?P<what>[^`]+)`"),
    _pattern("not-an-index", r"there are no versions of (?P<what>[\w.-]+)"),
    _pattern("broken-file", r"(?:Failed to extract archive: |structure of `)(?P<what>[\w.+-]+)"),
    _pattern("cut", r"end of file before message length|error reading a body|connection (?:reset|closed)"),
    _pattern("offline", r"tcp connect error|Connection refused|network is unreachable|error sending request"),
    _pattern("offline", r"network was disabled|Network connectivity is disabled"),
    _pattern("no-wheel", r"(?P<what>[\w.-]+(?:==[\w.+]+)?) has no (?:usable )?wheels"),
    _pattern("no-wheel", r"Wheels are required for `(?P<what>[^`]+)`"),
    _pattern("unknown-package", r"(?P<what>[\w.-]+) was not found in the package registry"),
    _pattern("no-version", r"there is no version of (?P<what>[\w.-]+==[\w.+!]+)"),
    _pattern("conflict", r"requirements are unsatisfiable|No solution found"),
    _pattern("bad-requirement", r"(?:Couldn't|Failed to) parse (?:requirement|metadata|`)[^\n]*"),
    _pattern("python", r"No interpreter found|not find.*Python|No download found|no Python"),
)


def explain(stderr: str) -> SetupError:
    """Return the error that uv's standard error tells of."""
    quote = quoted(stderr)
    for pattern in PATTERNS:
        found = pattern.expression.search(quote)
        if found:
            what = (found.groupdict().get("what") or "").strip()
            params = {"what": what or "uv", "host": host(quote)}
            if pattern.kind != "python":
                return SetupError(pattern.kind, quote=quote, **params)
            if version := PYTHON.search(quote):  # else a path, of which the message has nothing to say
                return SetupError("python", quote=quote, version=version[1], **params)
    return SetupError("uv", quote=quote, what="uv", host=host(quote))


def by_way_of(error: SetupError, env: Mapping[str, str]) -> SetupError:
    """Name the proxy too, where one stands between us and a host that does not answer."""
    proxy = next((text for key, text in env.items() if key.upper() in PROXIES and text), None)
    if error.kind not in {"hang", "offline", "proxy", "cut"} or proxy is None:
        return error
    behind = error.message.params["host"]
    name = host(proxy if "://" in proxy else f"http://{proxy}")
    return error.about(host=f"{name} → {behind}")


def quoted(stderr: str) -> str:
    """Return uv's error without the warnings before it, shortened."""
    start = re.search(r"^error:", stderr, re.MULTILINE)
    lines = [line.rstrip() for line in stderr[start.start() if start else 0 :].splitlines() if line.strip()]
    return "\n".join(lines[:QUOTED_LINES])


def host(text: str) -> str:
    """Return the host of the first address in a text, without any login."""
    found = re.search(r"https?://(?:[^\s/@]*@)?(?P<host>[^\s/)`]+)", text)
    return found["host"] if found else "-"


def without_wheel(error: SetupError) -> str | None:
    """Return the package that only its source exists of, where that is what failed."""
    found = re.search(r"Wheels are required for `(?P<name>[^`]+)`", error.quote)
    return found["name"] if error.kind == "no-wheel" and found else None
