"""Cards that are known to run no DirectX 12, by their names; NVIDIA's are told by their capability."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from trueup.facts.cards import vendor_of
from trueup.facts.store import source, table

if TYPE_CHECKING:
    from trueup.values import Source


class TooOld(NamedTuple):
    """What chip a card has, and who says that it runs no DirectX 12."""

    chips: str
    source: Source


def too_old(name: str) -> TooOld | None:
    """Return why a card runs no DirectX 12; None where nothing says so."""
    vendor = vendor_of(name)
    text = re.sub(r"\((r|tm|c)\)|[®™©]", "", name.lower())
    data = table("directx")
    for maker, pattern, chips, origin in data["rows"]:
        if maker == vendor and re.search(pattern, text):
            return TooOld(chips, source(data["sources"], origin))
    return None
