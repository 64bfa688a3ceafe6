"""What a set-up can fail with. Nothing half-built looks whole after any of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.values import Param

Kind = Literal[
    "no-uv",  # uv itself is missing
    "offline",  # nothing answers: no network, no route, refused
    "dns",  # a host's name could not be looked up
    "hang",  # a server or proxy took the request and stayed silent
    "proxy",  # the proxy refused
    "tls",  # a certificate that is not trusted
    "refused",  # the index asks for a login or forbids
    "not-found",  # a file or package that the index does not have
    "server",  # the index answers 5xx
    "not-an-index",  # HTML of a portal or login page instead of packages
    "hash",  # a file that is not the one that was locked
    "vanished",  # an installed file that is gone at once: a virus scanner
    "virus",  # Windows says so itself
    "broken-file",  # a wheel that cannot be unpacked
    "download",  # a file that trueup itself fetches did not come whole
    "download-hash",  # it came, and is another one than was locked
    "other-file",  # its sum is not the one that PyPI states for that name
    "file-gone",  # the server that the lock names has it no more
    "cut",  # a connection that broke in the middle
    "no-version",  # not this version, or not yet on a mirror
    "unknown-package",  # no such name on the index
    "bad-requirement",  # not PEP 508
    "conflict",  # requirements that exclude each other
    "no-wheel",  # a package without a wheel for the target
    "bad-lock",  # a lock that is not acceptable
    "disk-full",  # seen before anything was downloaded
    "disk-filled",  # in the middle
    "unwritable",
    "in-use",  # a running program holds a file
    "held",  # the same, and it is known which
    "path-too-long",
    "foreign",  # the folder is not ours
    "exists",  # a finished environment is there already
    "busy",  # another run is at work on the same environment
    "python",  # no fitting Python and none to be had
    "other-disk",  # a move that would be a copy and a removal
    "not-taken",  # a change that the system took and did not keep
    "uv",  # anything else that uv says
]


class SetupError(TrueupError):
    """A set-up that stopped. `kind` tells which; `quote` holds uv's own words, never translated."""

    def __init__(self, kind: Kind, *, quote: str = "", **params: Param) -> None:
        super().__init__(
            Message(f"setup.{kind}", {"quote": quote, **params}),
            Message(f"setup.{kind}-hint", {"quote": quote, **params}),
        )
        self.kind: Kind = kind
        self.quote = quote

    def about(self, **params: Param) -> SetupError:
        """Return the same error with other params."""
        rest = {key: value for key, value in self.message.params.items() if key != "quote"}
        return SetupError(self.kind, quote=self.quote, **{**rest, **params})
