"""From the name of a card, as a driver or a user writes it, to what it can run."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Literal

from trueup.facts.model import CardMatch
from trueup.facts.names import BRANDS, brandless, key, looser
from trueup.facts.store import source, table

if TYPE_CHECKING:
    from collections.abc import Mapping

Vendor = Literal["nvidia", "amd", "intel", "qualcomm", "other", "unknown"]
Row = list[Any]

_VENDORS: tuple[tuple[Vendor, str], ...] = (
    (
        "nvidia",
        r"nvidia|geforce|quadro|tesla|\brtx\b|\bgtx\b|\btitan (rtx|v|x|xp|z|black)\b|\brtx\d|\bgtx\d|\bgrid\b|\bjetson\b|\bmx\d{3}\b|\bcmp \d+hx\b",
    ),
    ("amd", r"\bamd\b|radeon|\bati\b|firepro|instinct|\brx ?\d{3,4}\b|\bvega\b"),
    ("intel", r"\bintel\b|\barc\b|\biris\b|u?hd graphics"),
    ("qualcomm", r"qualcomm|adreno|snapdragon"),
    (
        "other",
        r"microsoft basic|vmware|virtualbox|parallels|apple m\d|moore threads|matrox|aspeed|virtio|qxl",
    ),
)


def vendor_of(name: str) -> Vendor:
    text = re.sub(r"\((r|tm|c)\)|[®™©]", "", name.lower())
    return next((vendor for vendor, pattern in _VENDORS if re.search(pattern, text)), "unknown")


@functools.cache
def _rows() -> Mapping[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    for row in table("cards")["rows"]:
        rows.setdefault(row[0], []).append(row)
    return rows


def _found(wanted: str) -> list[Row]:
    """Return the rows of a key, or those of the same key under any brand or none: a brand is its first word."""
    rows, bare = _rows(), brandless(wanted)
    named = (bare, *(f"{brand} {bare}" for brand in sorted(BRANDS)))
    return rows.get(wanted) or [row for name in named for row in rows.get(name, ())]


def match(name: str) -> CardMatch:
    """Return the card of a name; without capabilities where the tables do not know it."""
    vendor = vendor_of(name)
    if vendor not in ("nvidia", "unknown"):
        return CardMatch(name, vendor, (), None, None)
    asked = key(name)
    for wanted in (asked, *looser(asked)):
        rows = _found(wanted)
        if rows:
            return _match(wanted, rows)
    return CardMatch(name, vendor, (), None, None)


def _match(wanted: str, rows: list[Row]) -> CardMatch:
    best = next((r for r in rows if r[0] == wanted and r[5] == "high"), rows[0])
    capabilities = tuple(dict.fromkeys([best[2], *(r[2] for r in rows)]))
    known = {r[0]: r[1] for r in table("capabilities")["rows"]}
    names = {known[c] for c in capabilities if c in known}
    others = ", ".join(c for c in capabilities if c != best[2]) or None
    origins = table("cards")["origins"][best[6]]
    origin = source(table("cards")["sources"], origins[0] if origins else "unsourced", best[5], others)
    return CardMatch(best[1], "nvidia", capabilities, names.pop() if len(names) == 1 else None, origin)


_MAKERS: dict[int, Vendor] = {
    0x10DE: "nvidia",
    0x1002: "amd",
    0x1022: "amd",
    0x8086: "intel",
    0x5143: "qualcomm",
    0x17CB: "qualcomm",
}


def of_pci(vendor: int, device: int) -> CardMatch:
    """Return the card of a PCI id: its chip is certain even where the product name is shared."""
    maker = _MAKERS.get(vendor, "other")
    number = f"{device:04x}"
    row = next((r for r in table("pci")["rows"] if r[0] == number), None) if maker == "nvidia" else None
    if row is None:
        return CardMatch(f"PCI {vendor:04x}:{number}", maker, (), None, None)
    data = table("pci")
    capability = data["chips"][row[2]]
    known = {r[0]: r[1] for r in table("capabilities")["rows"]}
    return CardMatch(
        f"NVIDIA {row[1]}", "nvidia", (capability,), known[capability], source({"pci": data["source"]}, "pci")
    )
