"""The cards that a variable leaves visible: they are numbered anew, from 0 on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LISTED = re.compile(
    r"(?:cuda|hip)_visible_devices['\"]?[ \t]{0,2}[\])]?[ \t]{0,2}[=:,][ \t]{0,2}['\"]?"
    r"(\d{1,3}(?:[ \t]{0,2},[ \t]{0,2}\d{1,3}){0,31})(?![\w\-])",
    re.IGNORECASE,
)


def renumbers(texts: Iterable[str]) -> bool:
    """Tell whether a text lists other cards than the first ones in their order."""
    for text in texts:
        for hit in LISTED.findall(text):
            cards = [int(one) for one in hit.split(",")]
            if cards != list(range(len(cards))):
                return True
    return False
