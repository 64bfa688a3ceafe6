"""Why a bundle is not made or not used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from trueup.values import Param

Kind = Literal[
    "no-bundle",  # nothing there, or no bundle
    "bad-name",  # a name that leads out of the folder, or that Windows would take for another
    "same-name",  # two names that are one on Windows or macOS
    "not-a-file",  # a link, a device
    "missing",  # named in the sums and not there
    "extra",  # there and not named in the sums
    "changed",  # another content than when the bundle was made
    "bad-sums",
    "bad-manifest",
    "bad-zip",
    "no-room",
    "taken",  # the folder to write exists
    "other-machine",  # made for machines of another kind
    "other-wish",
    "no-python",
    "bad-archive",  # of Python
    "source-needs",  # a package that can only be built
    "output",
]


class BundleError(TrueupError):
    """A bundle that was refused; `kind` tells why. Nothing was changed."""

    def __init__(self, kind: Kind, **params: Param) -> None:
        super().__init__(Message(f"bundle.{kind}", params), Message(f"bundle.{kind}-hint", params))
        self.kind: Kind = kind
