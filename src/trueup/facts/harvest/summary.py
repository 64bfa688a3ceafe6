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
# A framework's main library may hold a few modules for cards that the rest of it leaves out.
MOST = 0.3


def of_libraries(binaries: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return SASS and PTX capabilities of a set of which every part is needed, as cuDNN's, for `GpuCode`.

    A capability is in SASS where code was made for it and each part has machine code that such a card runs.
    PTX is the newest that serves later cards, where each part has enough of it.
    """
    rows = [row["gpu_code"] for row in binaries if "gpu_code" in row]
    made = {_plain(text) for row in rows for text in row["sass"]}
    native = [card for card in CARDS if card in made and all(row["reach"][card][0] for row in rows)]
    newest = [_ptx(row) for row in rows]
    ptx = min((text for text in newest if text), key=Version, default=None) if all(newest) else None
    return tuple(native), (ptx,) if ptx else ()


def of_framework(binaries: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the same of the library with the most modules; what stands beside it serves special uses.

    A capability counts where such a card can use at least three tenths as many modules as the best served.
    """
    rows = [row["gpu_code"] for row in binaries if "gpu_code" in row]
    if not rows:
        return (), ()
    main = max(rows, key=lambda row: int(row["modules"]))
    made = {_plain(text) for text in main["sass"]}
    usable = {card: sum(main["reach"][card][:2]) for card in CARDS}
    least = MOST * max(usable.values())
    native = [c for c in CARDS if c in made and main["reach"][c][0] and usable[c] >= least]
    ptx = _ptx(main)
    return tuple(native), (ptx,) if ptx else ()


def of_package(
    package: str, binaries: Iterable[Mapping[str, Any]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the capabilities of a wheel: NVIDIA's are libraries, others frameworks."""
    return of_libraries(binaries) if package.startswith("nvidia-") else of_framework(binaries)


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
