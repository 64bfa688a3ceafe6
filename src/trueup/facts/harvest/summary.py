"""For which cards a whole package holds code, out of what its binaries hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packaging.version import Version

from trueup.facts.harvest.readers.binaries import CARDS, LATER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Modules made for one architecture alone are usual, so a card is measured against the one that can use least
# of the code that was made for it. PTX that covers clearly less is no promise that a newer card works: the
# convolutions of cuDNN 8.9 hold PTX for a third of what the least of their cards can use.
ENOUGH = 0.9


def code(binaries: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return SASS and PTX capabilities that hold for all binaries of a package, as `GpuCode` wants them.

    A capability is in `sass` where code was made for it and each binary with GPU code has machine code that
    such a card runs. PTX is the newest that serves later cards, where each binary has enough of it.
    """
    rows = [row["gpu_code"] for row in binaries if "gpu_code" in row]
    made = {_plain(text) for row in rows for text in row["sass"]}
    native = [card for card in CARDS if card in made and all(row["reach"][card][0] for row in rows)]
    newest = [_ptx(row) for row in rows]
    ptx = min((text for text in newest if text), key=Version, default=None) if all(newest) else None
    return tuple(native), (ptx,) if ptx else ()


def _plain(text: str) -> str:
    return text.rstrip("af")


def _ptx(row: Mapping[str, Any]) -> str | None:
    served = [row["reach"][card][0] for card in CARDS if card in map(_plain, row["sass"])]
    enough = row["reach"][LATER][1] >= ENOUGH * min(served, default=0)
    return (
        max((text for text in row["ptx"] if text == _plain(text)), key=Version, default=None)
        if enough
        else None
    )
