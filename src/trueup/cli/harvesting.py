"""What the commands that read an index share: which index, and what it has that the facts have not."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trueup.facts.harvest.client import Client
from trueup.facts.harvest.index import Index
from trueup.facts.harvest.newer import unknown
from trueup.facts.harvest.overlay import own, shipped
from trueup.facts.harvest.refuse import Refused
from trueup.facts.harvest.run import offers
from trueup.values import Message, TrueupError

if TYPE_CHECKING:
    from pathlib import Path

    from trueup.cli.session import Session
    from trueup.facts.harvest.run import Offer

PATIENCE_S = 20.0
# uv writes the index that it would use, whichever file or variable names it, without asking that index.
QUESTION = ("pip", "compile", "-", "--emit-index-url", "--no-header", "--quiet", "--offline")


def connect(session: Session, address: str | None) -> tuple[Index, Client]:
    """Return the named index, or the one that uv would use by the user's settings of uv and pip."""
    from trueup.facts.harvest.client import shown
    from trueup.setup.uv import find

    uv = find()
    address = address or named_by_uv(uv.run(QUESTION, timeout=60))
    if not address:
        raise Refused("no-index", "uv")
    session.talk(session.text("harvest.index", address=shown(address)))
    client = Client(address, seconds=_seconds(uv.env.get("UV_HTTP_TIMEOUT")), environment=uv.env)
    return Index(address, client), client


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isdecimal() and int(text) else PATIENCE_S


def named_by_uv(output: str) -> str | None:
    """Return the main index of uv's answer."""
    for line in output.splitlines():
        option, _, address = line.strip().partition(" ")
        if option in ("--index-url", "--default-index") and address:
            return address.strip()
    return None


class News(NamedTuple):
    """What the index has of one package: all its wheels, and those of releases that the facts have not."""

    framework: str
    package: str
    all: tuple[Offer, ...]
    new: tuple[Offer, ...]


def news(index: Index, frameworks: tuple[str, ...], folder: Path) -> list[News]:
    """Ask the index for each package with known builds; a package that is gone there has no news."""
    found = []
    for framework in frameworks:
        known = own(folder, framework)
        for package in shipped(framework).packages():
            try:
                wheels = offers(index, package)
            except Refused as refused:
                if refused.reason != "no-project":
                    raise
                continue
            found.append(News(framework, package, wheels, tuple(unknown(wheels, known.releases(package)))))
    return found


def chosen(asked: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the frameworks that were asked for; all where none was."""
    for name in asked:
        if name not in known:
            raise TrueupError(
                Message("harvest.no-framework", {"name": name}),
                Message("harvest.frameworks-are", {"names": ", ".join(known)}),
            )
    return asked or known
