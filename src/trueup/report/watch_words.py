"""Readings in words and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from trueup.report.say import say
from trueup.values import Message, Unknown

if TYPE_CHECKING:
    from trueup.values import Param
    from trueup.watch.model import Gpu, Reading

NA = "N/A"
# What is said where it is not known, in this order.
NAMED = (
    "sm", "memory_busy", "memory_used", "temperature", "fan", "power", "power_limit", "clock_sm",
    "clock_memory", "pcie_gen", "pcie_width", "pcie_received", "pcie_sent", "reasons", "processes",
)  # fmt: skip
QUIET = ("watch.not-asked", "watch.first-sample")
# A passively cooled or laptop card has no fan of its own to tell of: no news.
EXPECTED = {"fan": "watch.not-supported"}


def words(lang: str, code: str, **params: Param) -> str:
    return say(Message(f"watch.{code}", params), lang)


def known(value: Any) -> float | None:
    return None if isinstance(value, Unknown) else value


def figure(value: Reading, unit: str = "", digits: int = 0) -> str:
    return NA if isinstance(value, Unknown) else f"{value:.{digits}f}{unit}"


def of_most(value: Reading, most: Reading, unit: str) -> str:
    """Return "158/170 W", or what of it is known."""
    if isinstance(most, Unknown):
        return figure(value, f" {unit}")
    return f"{figure(value)}/{most:.0f} {unit}"


def gibibytes(used: Reading, total: Reading) -> str:
    whole = NA if isinstance(total, Unknown) else f"{total / 1024:.1f}"
    part = NA if isinstance(used, Unknown) else f"{used / 1024:.1f}"
    return f"{part}/{whole} GiB"


def rate(value: Reading) -> str:
    if isinstance(value, Unknown):
        return NA
    return f"{value / 1000:.1f} GB/s" if value >= 1000 else f"{value:.1f} MB/s"


def link(gen: Reading, width: Reading) -> str:
    """Return "gen 4 x16"."""
    return f"gen {figure(gen)} x{figure(width)}"


def reason(name: str, lang: str) -> str:
    """Return why clocks are low, in plain words."""
    return words(lang, "reason-bit", bit=name) if name.startswith("bit-") else words(lang, f"reason-{name}")


def missing(gpu: Gpu, lang: str) -> list[tuple[str, str]]:
    """Return (names of values, why they are not known), one pair a reason."""
    found: dict[str, list[str]] = {}
    for name in NAMED:
        value = getattr(gpu, name)
        if (
            isinstance(value, Unknown)
            and value.why.code not in QUIET
            and EXPECTED.get(name) != value.why.code
        ):
            found.setdefault(say(value.why, lang), []).append(words(lang, f"field-{name.replace('_', '-')}"))
    comma = words(lang, "comma")
    return [(comma.join(names), why) for why, names in found.items()]


def labels(lang: str) -> int:
    """Return the width of the labels: the same in every block, so that bars stand under bars."""
    return max(cell_len(words(lang, name)) for name in ("access", "vram", "ram", "disk"))
